/**
 * About how many tokens a language model reads a text as: four letters of ordinary text, or one ideograph, make one.
 * An estimate for budgets, on the high side.
 */
export function estimateTokens(text: string): number {
  const wide = text.match(/[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/g)?.length ?? 0
  return wide + Math.ceil((text.length - wide) / 3.5)
}
