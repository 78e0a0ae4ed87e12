/** The maximum number of words: more would only cost time. */
const MAX_WORDS = 8

/**
 * Returns the words of a search, all of which must be found. A pasted web address is reduced to its
 * host: without scheme, port, path and a leading `www.`
 */
export function searchWords(text: string): string[] {
  const given = text.normalize('NFKC').toLowerCase().split(/\s+/).filter(Boolean)
  // Text without a host, such as `https://`, is searched literally: it does not match everything.
  const words = given.map((word) => hostOf(word) || word)
  return [...new Set(words)].slice(0, MAX_WORDS)
}

function hostOf(word: string): string {
  const bare = word.replace(/^[a-z][a-z0-9+.-]*:\/\//, '').replace(/^[^/@]*@/, '')
  const [host = ''] = bare.split(/[/?#]/)
  return host.replace(/:\d*$/, '').replace(/^www\./, '')
}
