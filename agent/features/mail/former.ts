import type { Host } from '#agent/kernel/host/ports.ts'
import { MAIL_USER } from '#agent/kernel/mail/places.ts'

const NONE = 'none\n'
/** Not a valid setting name, so that it is never read as one. */
const formerOf = (path: string) => `${path}.former`
const SECRET = { mode: 0o600 }

/** Keeps the current setting for the undo; a copy of an earlier operation is older, and stays. */
export async function keep({ files }: Host, path: string): Promise<void> {
  if (await files.stat(formerOf(path))) return
  await files.write(formerOf(path), (await files.read(path)) ?? NONE, SECRET)
}

export async function bringBack({ files }: Host, path: string): Promise<void> {
  const former = await files.read(formerOf(path))
  if (former === undefined) return
  if (former === NONE) await files.remove(path)
  else await files.write(path, former, { mode: 0o640, group: MAIL_USER })
  await files.remove(formerOf(path))
}

export const forget = ({ files }: Host, path: string): Promise<void> => files.remove(formerOf(path))

export const isKept = async ({ files }: Host, path: string): Promise<boolean> =>
  (await files.stat(formerOf(path))) !== undefined
