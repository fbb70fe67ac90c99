//! What kind of publication a record is about: a small vocabulary over the words of all formats.
//!
//! [`Paper::kind`](super::Paper::kind) keeps the word of the source (`JOUR`, `inproceedings`, `Journal Article; Review`);
//! [`Kind::of`] says what it means, and each kind has its word in each format that is written.

/// What kind of publication it is, ordered: where a source gives several, the first in this order counts. So a
/// retraction that is also a journal article is a retraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The notice that a paper is retracted, or expresses concern.
    Retraction,
    /// A correction of another paper.
    Erratum,
    /// A comment on another paper, or a reply.
    Comment,
    /// An editorial.
    Editorial,
    /// A letter.
    Letter,
    /// Posted before or without peer review.
    Preprint,
    /// A registered trial or protocol.
    Registration,
    /// A paper or an abstract of a conference.
    ConferencePaper,
    /// The volume of a conference.
    Proceedings,
    /// A part of a book, an entry of a reference work.
    Chapter,
    /// A book.
    Book,
    /// A thesis.
    Thesis,
    /// A report, a working paper.
    Report,
    /// A review of literature.
    Review,
    /// A piece of a newspaper or magazine.
    News,
    /// A patent.
    Patent,
    /// Data.
    Dataset,
    /// Software.
    Software,
    /// A web page.
    Web,
    /// An article of a journal.
    Article,
    /// Something that the source names and this vocabulary does not.
    Other,
    /// The source says nothing.
    Unknown,
}

/// Words of the sources: lower case, letters and digits only.
const WORDS: &[(&str, Kind)] = &[
    ("retraction", Kind::Retraction),
    ("retractionofpublication", Kind::Retraction),
    ("retractionnotice", Kind::Retraction),
    ("expressionofconcern", Kind::Retraction),
    ("erratum", Kind::Erratum),
    ("publishederratum", Kind::Erratum),
    ("corrigendum", Kind::Erratum),
    ("correction", Kind::Erratum),
    ("correctionaddition", Kind::Erratum),
    ("comment", Kind::Comment),
    ("reply", Kind::Comment),
    ("editorial", Kind::Editorial),
    ("editorialmaterial", Kind::Editorial),
    ("letter", Kind::Letter),
    ("preprint", Kind::Preprint),
    ("postedcontent", Kind::Preprint),
    ("unpublished", Kind::Preprint),
    ("unpb", Kind::Preprint),
    ("unpd", Kind::Preprint),
    ("unpublishedwork", Kind::Preprint),
    ("manuscript", Kind::Preprint),
    ("clinicaltrial", Kind::Registration),
    ("trialregistration", Kind::Registration),
    ("conferencepaper", Kind::ConferencePaper),
    ("conferenceabstract", Kind::ConferencePaper),
    ("conferencereview", Kind::ConferencePaper),
    ("meetingabstract", Kind::ConferencePaper),
    ("proceedingspaper", Kind::ConferencePaper),
    ("proceedingsarticle", Kind::ConferencePaper),
    ("paperconference", Kind::ConferencePaper),
    ("inproceedings", Kind::ConferencePaper),
    ("conference", Kind::ConferencePaper),
    ("cpaper", Kind::ConferencePaper),
    ("poster", Kind::ConferencePaper),
    ("congress", Kind::ConferencePaper),
    ("conf", Kind::Proceedings),
    ("proceedings", Kind::Proceedings),
    ("mvproceedings", Kind::Proceedings),
    ("conferenceproceedings", Kind::Proceedings),
    ("chap", Kind::Chapter),
    ("echap", Kind::Chapter),
    ("chapter", Kind::Chapter),
    ("bookchapter", Kind::Chapter),
    ("booksection", Kind::Chapter),
    ("bookpart", Kind::Chapter),
    ("electronicbooksection", Kind::Chapter),
    ("incollection", Kind::Chapter),
    ("inbook", Kind::Chapter),
    ("suppbook", Kind::Chapter),
    ("bookinbook", Kind::Chapter),
    ("inreference", Kind::Chapter),
    ("referenceentry", Kind::Chapter),
    ("entry", Kind::Chapter),
    ("entryencyclopedia", Kind::Chapter),
    ("entrydictionary", Kind::Chapter),
    ("encyc", Kind::Chapter),
    ("dict", Kind::Chapter),
    ("book", Kind::Book),
    ("ebook", Kind::Book),
    ("edbook", Kind::Book),
    ("editedbook", Kind::Book),
    ("mvbook", Kind::Book),
    ("collection", Kind::Book),
    ("mvcollection", Kind::Book),
    ("booklet", Kind::Book),
    ("monograph", Kind::Book),
    ("referencebook", Kind::Book),
    ("reference", Kind::Book),
    ("electronicbook", Kind::Book),
    ("bookwhole", Kind::Book),
    ("manual", Kind::Book),
    ("thes", Kind::Thesis),
    ("thesis", Kind::Thesis),
    ("phdthesis", Kind::Thesis),
    ("mastersthesis", Kind::Thesis),
    ("academicdissertation", Kind::Thesis),
    ("dissertation", Kind::Thesis),
    ("rprt", Kind::Report),
    ("report", Kind::Report),
    ("techreport", Kind::Report),
    ("technicalreport", Kind::Report),
    ("governmentdocument", Kind::Report),
    ("govdoc", Kind::Report),
    ("stand", Kind::Report),
    ("standard", Kind::Report),
    ("review", Kind::Review),
    ("systematicreview", Kind::Review),
    ("metaanalysis", Kind::Review),
    ("shortsurvey", Kind::Review),
    ("news", Kind::News),
    ("newspaperarticle", Kind::News),
    ("newsitem", Kind::News),
    ("articlenewspaper", Kind::News),
    ("articlemagazine", Kind::News),
    ("magazinearticle", Kind::News),
    ("mgzn", Kind::News),
    ("pat", Kind::Patent),
    ("patent", Kind::Patent),
    ("data", Kind::Dataset),
    ("dataset", Kind::Dataset),
    ("datapaper", Kind::Article),
    ("comp", Kind::Software),
    ("software", Kind::Software),
    ("computerprogram", Kind::Software),
    ("elec", Kind::Web),
    ("blog", Kind::Web),
    ("webpage", Kind::Web),
    ("website", Kind::Web),
    ("online", Kind::Web),
    ("electronic", Kind::Web),
    ("www", Kind::Web),
    ("post", Kind::Web),
    ("postweblog", Kind::Web),
    ("jour", Kind::Article),
    ("ejou", Kind::Article),
    ("ejour", Kind::Article),
    ("jfull", Kind::Article),
    ("inpr", Kind::Article),
    ("abst", Kind::Article),
    ("article", Kind::Article),
    ("articlejournal", Kind::Article),
    ("journalarticle", Kind::Article),
    ("electronicarticle", Kind::Article),
    ("articleinpress", Kind::Article),
    ("casereports", Kind::Article),
    ("note", Kind::Article),
    ("j", Kind::Article),
];

impl Kind {
    /// What the word of a source means; several words are separated by `;` or `|`.
    ///
    /// ```
    /// use papertwin::corpus::Kind;
    /// assert_eq!(Kind::of("JOUR"), Kind::Article);
    /// assert_eq!(Kind::of("Journal Article; Published Erratum"), Kind::Erratum);
    /// assert_eq!(Kind::of(""), Kind::Unknown);
    /// ```
    pub fn of(kind: &str) -> Kind {
        kind.split([';', '|']).map(Kind::of_word).min().unwrap_or(Kind::Unknown)
    }

    fn of_word(word: &str) -> Kind {
        let plain: String = word.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        if plain.is_empty() {
            return Kind::Unknown;
        }
        if plain.starts_with("clinicaltrial") && plain.len() > "clinicaltrial".len() {
            // "Clinical Trial, Phase II" of PubMed is an article about one.
            return Kind::Article;
        }
        WORDS.iter().find(|(known, _)| *known == plain).map_or(Kind::Other, |(_, kind)| *kind)
    }

    /// The type of RIS.
    pub(super) fn ris(self) -> &'static str {
        match self {
            Kind::Preprint => "UNPB",
            Kind::ConferencePaper => "CPAPER",
            Kind::Proceedings => "CONF",
            Kind::Chapter => "CHAP",
            Kind::Book => "BOOK",
            Kind::Thesis => "THES",
            Kind::Report => "RPRT",
            Kind::News => "NEWS",
            Kind::Patent => "PAT",
            Kind::Dataset => "DATA",
            Kind::Software => "COMP",
            Kind::Web => "ELEC",
            Kind::Registration | Kind::Other | Kind::Unknown => "GEN",
            _ => "JOUR",
        }
    }

    /// The entry type of BibTeX.
    pub(super) fn bibtex(self) -> &'static str {
        match self {
            Kind::Preprint => "unpublished",
            Kind::ConferencePaper => "inproceedings",
            Kind::Proceedings => "proceedings",
            Kind::Chapter => "incollection",
            Kind::Book => "book",
            Kind::Thesis => "phdthesis",
            Kind::Report => "techreport",
            Kind::Registration
            | Kind::Patent
            | Kind::Dataset
            | Kind::Software
            | Kind::Web
            | Kind::Other
            | Kind::Unknown => "misc",
            _ => "article",
        }
    }

    /// The type of EndNote, as its tagged text and its XML name it, and the number that its XML has beside it.
    pub(super) fn endnote(self) -> (&'static str, u32) {
        match self {
            Kind::Preprint => ("Unpublished Work", 34),
            Kind::ConferencePaper => ("Conference Paper", 47),
            Kind::Proceedings => ("Conference Proceedings", 10),
            Kind::Chapter => ("Book Section", 5),
            Kind::Book => ("Book", 6),
            Kind::Thesis => ("Thesis", 32),
            Kind::Report => ("Report", 27),
            Kind::News => ("Newspaper Article", 23),
            Kind::Patent => ("Patent", 25),
            Kind::Dataset => ("Dataset", 59),
            Kind::Software => ("Computer Program", 9),
            Kind::Web => ("Web Page", 12),
            Kind::Registration | Kind::Other | Kind::Unknown => ("Generic", 13),
            _ => ("Journal Article", 17),
        }
    }

    /// The publication type of PubMed; empty for what it has none for.
    pub(super) fn medline(self) -> &'static str {
        match self {
            Kind::Retraction => "Retraction of Publication",
            Kind::Erratum => "Published Erratum",
            Kind::Comment => "Comment",
            Kind::Editorial => "Editorial",
            Kind::Letter => "Letter",
            Kind::Preprint => "Preprint",
            Kind::ConferencePaper | Kind::Proceedings => "Congress",
            Kind::Thesis => "Academic Dissertation",
            Kind::Report => "Technical Report",
            Kind::Review => "Review",
            Kind::News => "News",
            Kind::Dataset => "Dataset",
            Kind::Article => "Journal Article",
            _ => "",
        }
    }

    /// The type of CSL.
    pub(super) fn csl(self) -> &'static str {
        match self {
            Kind::Preprint => "manuscript",
            Kind::ConferencePaper => "paper-conference",
            Kind::Chapter => "chapter",
            Kind::Book | Kind::Proceedings => "book",
            Kind::Thesis => "thesis",
            Kind::Report => "report",
            Kind::News => "article-newspaper",
            Kind::Patent => "patent",
            Kind::Dataset => "dataset",
            Kind::Software => "software",
            Kind::Web => "webpage",
            Kind::Registration | Kind::Other | Kind::Unknown => "document",
            _ => "article-journal",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_sources_are_known() {
        for (word, kind) in [
            ("CPAPER", Kind::ConferencePaper),
            ("Conference Paper", Kind::ConferencePaper),
            ("inproceedings", Kind::ConferencePaper),
            ("Journal Article; Review", Kind::Review),
            ("Review|Article", Kind::Review),
            ("Retraction of Publication; Journal Article", Kind::Retraction),
            ("Clinical Trial, Phase III; Journal Article", Kind::Article),
            ("posted-content", Kind::Preprint),
            ("Basket", Kind::Other),
            (" ; ", Kind::Unknown),
        ] {
            assert_eq!(Kind::of(word), kind, "{word}");
        }
    }

    #[test]
    fn a_word_that_is_written_means_something_near() {
        for kind in [Kind::Preprint, Kind::ConferencePaper, Kind::Proceedings, Kind::Chapter, Kind::Book, Kind::Thesis]
        {
            assert_eq!(Kind::of(kind.ris()), kind);
            assert_eq!(Kind::of(kind.endnote().0), kind);
            assert_eq!(Kind::of(kind.bibtex()), kind);
        }
        assert_eq!(Kind::of(Kind::Erratum.medline()), Kind::Erratum);
        assert_eq!(Kind::of(Kind::Chapter.csl()), Kind::Chapter);
    }
}
