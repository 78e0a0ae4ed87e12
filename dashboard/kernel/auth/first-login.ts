import { fstatSync } from 'node:fs'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

export interface FirstLogin {
  email: string
  password: string
}

export const firstLoginFile = (data_dir: string) => join(data_dir, 'first-login')

export const firstLoginText = ({ email, password }: FirstLogin) =>
  `first login: ${email}\npassword: ${password}\n`

/**
 * Whether standard output goes to the journal, where every administrator of the machine can read it
 * for months. `stream`: JOURNAL_STREAM, `<device>:<inode>` (systemd.exec(5)).
 */
export function goesToJournal(stream: string | undefined, descriptor = 1): boolean {
  if (stream === undefined) return false
  const { dev, ino } = fstatSync(descriptor)
  return stream === `${dev}:${ino}`
}

/** Stores the login for its owner before the account exists, so that it is not lost. */
export async function storeFirstLogin(data_dir: string, login: FirstLogin): Promise<void> {
  const draft = `${firstLoginFile(data_dir)}.draft`
  await rm(draft, { force: true })
  await using file = await open(draft, 'wx', 0o600)
  await file.writeFile(firstLoginText(login))
  await file.sync()
  await rename(draft, firstLoginFile(data_dir))
}

/** Removes and returns the stored login; undefined when it was shown before. */
export async function takeFirstLogin(data_dir: string): Promise<string | undefined> {
  const text = await readFile(firstLoginFile(data_dir), 'utf8').catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return undefined
    },
  )
  if (text !== undefined) await rm(firstLoginFile(data_dir))
  return text
}
