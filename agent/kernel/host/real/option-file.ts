import { lstat, readFile } from 'node:fs/promises'

/** The login of MariaDB. Without a password: by the socket, which identifies the user (unix_socket). */
export interface Account {
  user: string
  password?: string
}

/** The agent's file first, then root's: mariadb(1) reads it the same way. */
export const OPTION_FILES = ['/etc/hosting-agent/mariadb.cnf', '/root/.my.cnf'] as const

/** The account in the first file that names one and that only root can write. */
export async function readAccount(
  paths: readonly string[] = OPTION_FILES,
): Promise<Account | undefined> {
  for (const path of paths) {
    const account = accountIn(await textOf(path))
    if (account) return account
  }
  return undefined
}

async function textOf(path: string): Promise<string> {
  try {
    const { uid, mode, size } = await lstat(path)
    const isPrivate = uid === process.getuid?.() && (mode & 0o022) === 0
    return isPrivate && size < 65_536 ? await readFile(path, 'utf8') : ''
  } catch {
    return ''
  }
}

/** Of the group [client]: https://mariadb.com/kb/en/configuring-mariadb-with-option-files/ */
export function accountIn(text: string): Account | undefined {
  let group = ''
  const options = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    const name = /^\s*\[([^\]]+)\]/.exec(line)?.[1]
    if (name !== undefined) group = name.trim()
    const [, key = '', value = ''] = /^\s*(user|password)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (key !== '' && /^(client|client-mariadb|client-server)$/.test(group)) {
      options.set(key, plainOf(value))
    }
  }
  const password = options.get('password')
  return password === undefined ? undefined : { user: options.get('user') ?? 'root', password }
}

function plainOf(text: string): string {
  const [, , quoted] = /^(["'])(.*)\1/.exec(text) ?? []
  return (quoted ?? text.replace(/\s#.*$/, '')).replace(
    /\\([btnrs\\"'])/g,
    (_, letter: string) => ESCAPES[letter] ?? letter,
  )
}

const ESCAPES: Record<string, string> = { b: '\b', t: '\t', n: '\n', r: '\r', s: ' ' }
