import { z } from 'zod'
import type { Files } from '#agent/kernel/host/ports.ts'
import { starting } from '#shared/kernel/errors.ts'

const Notice = z.strictObject({ audience: z.string(), boot: z.string() })

/** What the listening half must know of the root half to check tokens. */
export type Notice = z.infer<typeof Notice>

export const socketIn = (run_dir: string) => `${run_dir}/root.sock`
const pathIn = (run_dir: string) => `${run_dir}/notice.json`

export async function writeNotice(files: Files, run_dir: string, notice: Notice): Promise<void> {
  await files.write(pathIn(run_dir), `${JSON.stringify(notice)}\n`)
}

/** Throws offline until the root half has started. */
export async function readNotice(files: Files, run_dir: string): Promise<Notice> {
  const text = await files.read(pathIn(run_dir))
  if (text === undefined) throw starting()
  return Notice.parse(JSON.parse(text))
}
