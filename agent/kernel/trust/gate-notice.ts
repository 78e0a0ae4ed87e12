import { z } from 'zod'
import type { Files } from '#agent/kernel/host/ports.ts'
import { starting } from '#shared/kernel/errors.ts'

const GateNotice = z.strictObject({ audience: z.string(), boot: z.string() })

/** The data of the root half that the listening half needs to check tokens. */
export type GateNotice = z.infer<typeof GateNotice>

export const socketIn = (run_dir: string) => `${run_dir}/root.sock`
const pathIn = (run_dir: string) => `${run_dir}/notice.json`

export async function writeNotice(
  files: Files,
  run_dir: string,
  notice: GateNotice,
): Promise<void> {
  await files.write(pathIn(run_dir), `${JSON.stringify(notice)}\n`)
}

/** Throws offline until the root half has started. */
export async function readNotice(files: Files, run_dir: string): Promise<GateNotice> {
  const text = await files.read(pathIn(run_dir))
  if (text === undefined) throw starting()
  return GateNotice.parse(JSON.parse(text))
}
