/** More than these would only cost time. */
const MOST = 8

/**
 * What is searched for, word by word, each of which must be found. A web address that was pasted is
 * looked for by its host: without its scheme, its port, its path and a leading `www.`
 */
export function searchWords(text: string): string[] {
  const given = text.toLowerCase().split(/\s+/).filter(Boolean)
  // What has no host, such as `https://`, is looked for as it is: it does not stand for everything.
  const words = given.map((word) => hostOf(word) || word)
  return [...new Set(words)].slice(0, MOST)
}

function hostOf(word: string): string {
  const bare = word.replace(/^[a-z][a-z0-9+.-]*:\/\//, '').replace(/^[^/@]*@/, '')
  const [host = ''] = bare.split(/[/?#]/)
  return host.replace(/:\d*$/, '').replace(/^www\./, '')
}
