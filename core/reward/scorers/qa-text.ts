const ARTICLES = /(?<![\p{L}\p{N}])(?:an|a|the)(?![\p{L}\p{N}])/gu;

/**
 * One text for answers that differ only in case, accents, punctuation, articles and spaces (SQuAD, Rajpurkar et al. 2016,
 * arXiv:1606.05250, kept right for numbers: a decimal point and a minus sign stay, `3.5` is not 35).
 */
export function comparableText(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/(?<=[A-Za-z])\p{Mn}+/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[−–](?=\d)/g, "-")
    .replace(/(?<=\d),(?=\d{3})/g, "")
    .replace(ARTICLES, " ")
    .replace(/(?<=\d)\.(?=\d)|(?<![\p{L}\p{N}])-(?=\d)/gu, (sign) => (sign === "." ? "\ue000" : "\ue001"))
    .replace(/[\p{P}\p{S}\s]/gu, "")
    .replaceAll("\ue000", ".")
    .replaceAll("\ue001", "-");
}
