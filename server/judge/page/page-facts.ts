/** What is seen of a page that is alive, as far as it is compared with the remembered one. */
export type PageFacts = {
  /** At most 120 characters. */
  title: string;
  /** The primary subtag of `<html lang>` in lower case; null if there is none. */
  language: string | null;
  /** Of title and text; 53 bits. */
  textHash: number;
  /** `thin`: too little to compare. Null: the page is that of the last comparison. */
  look: Look | "thin" | null;
};

export type Look = {
  /** The ISO 15924 code of the script of most letters; null without letters. */
  script: string | null;
  /** The SimHash of the text in 16 hexadecimal digits. */
  print: string;
  /** Which part of the remembered title's words the page still has, from 0 to 1; null if the title has too few. */
  keptTitle: number | null;
};

/** What is compared of a page. */
export type Shown = {
  title: string;
  language: string | null;
  /** The ISO 15924 code of the script of most letters. */
  script: string | null;
  /** The SimHash of its text, in 16 hexadecimal digits. */
  print: string;
};
