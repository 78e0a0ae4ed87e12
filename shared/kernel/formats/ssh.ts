import { requireMatch } from './require-match.ts'

/** Matches a word of ssh_config(5) that every keyword reads literally. */
const WORD = /^[\w.:/@+[\]][\w.:/@+=,[\]-]*$/
const A_WORD = 'Must be letters, digits and . _ : / @ + = , [ ] -'
const KEYWORD = /^[A-Za-z]+$/
const NAME = /^[A-Za-z0-9][\w.-]*$/
const PUBLIC_KEY = /^(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]+ [A-Za-z0-9+/]+={0,2}$/

/** Renders the section of one host for ssh_config(5). Throws 422 on the keyword of a value that is no word. */
export function renderSshHost(
  name: string,
  settings: Readonly<Record<string, string | number>>,
): string {
  const lines = Object.entries(settings).map(
    ([keyword, value]) =>
      `  ${requireMatch('keyword', keyword, KEYWORD, 'Must be a keyword')} ${requireMatch(keyword, value, WORD, A_WORD)}`,
  )
  return `${[`Host ${requireMatch('Host', name, NAME, 'Must be a name')}`, ...lines].join('\n')}\n`
}

/** Renders one line of known_hosts (sshd(8)): a name, and a key without its comment. */
export function renderKnownHost(name: string, key: string): string {
  const host = requireMatch('name', name, NAME, 'Must be a name')
  return `${host} ${requireMatch('host_key', key, PUBLIC_KEY, 'Must be a public key')}\n`
}
