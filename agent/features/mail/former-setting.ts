import type { Host } from '#agent/kernel/host/ports.ts'
import { MAIL_USER } from '#agent/kernel/mail/paths.ts'

const NONE = 'none\n'
/** Returns a path that is not a valid setting name, so that it is never read as a setting. */
const formerOf = (path: string) => `${path}.former`
const SECRET = { mode: 0o600 }

/** Copies the current setting for the undo; the older copy of an interrupted operation stays. */
export async function keepFormerSetting({ files }: Host, path: string): Promise<void> {
  if (await files.stat(formerOf(path))) return
  await files.write(formerOf(path), (await files.read(path)) ?? NONE, SECRET)
}

export async function restoreFormerSetting({ files }: Host, path: string): Promise<void> {
  const former = await files.read(formerOf(path))
  if (former === undefined) return
  if (former === NONE) await files.remove(path)
  else await files.write(path, former, { mode: 0o640, group: MAIL_USER })
  await files.remove(formerOf(path))
}

export const removeFormerSetting = ({ files }: Host, path: string): Promise<void> =>
  files.remove(formerOf(path))

export const hasFormerSetting = async ({ files }: Host, path: string): Promise<boolean> =>
  (await files.stat(formerOf(path))) !== undefined
