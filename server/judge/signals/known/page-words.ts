export const TYPE_OF_THING =
  /^\s*(article|video|music|album|song|book|product|profile|event|recipe|game)\b/i;

/** Words of pages that explain errors. */
export const EXPLAINS =
  /status ?codes?|response codes?|error (?:codes?|messages?)|\brfc ?\d{4}|client error|what (?:this|it) means|codes? d['’](?:état|erreur)|codic[ei] (?:di stato|d['’]errore)|códigos? de (?:estado|erro\w*)|код\w* (?:состояния|ошибки)|状态码|狀態碼|ステータスコード|상태 코드/i;

/** In the title, the name of a site that describes the errors of something else. */
export const REFERENCE = /\b(?:API|SDK)\b|\b(?:reference|documentation|glossary)\b/i;

export const WAITS =
  /\bload|\bwait|javascript|browser|\bstart|\binitiali|lädt|lade[nt]|warten|charge|patient|carga|esper|caric|attend|carreg|aguard|laden|wacht|ładowa|czekaj|загруз|подожд|завантаж|読み込|ロード|加载|載入|请稍|로딩|불러오/i;

/** Something temporarily unavailable is not missing. */
export const FOR_NOW =
  /\b(?:currently|temporarily|right now|at the moment|derzeit|zurzeit|momentan|vorübergehend|actuellement|temporairement|momentáneamente|temporalmente|actualmente|attualmente|temporaneamente|temporariamente|no momento|tijdelijk|momenteel|chwilowo|obecnie|tillfälligt|midlertidigt?)\b|временно|сейчас|現在|一時的|暂时|暫時|일시적/i;
