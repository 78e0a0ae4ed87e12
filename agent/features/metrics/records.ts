import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { NUMBERS, Sizes } from '#shared/metrics/site-numbers.ts'

const amount = z.number().nonnegative()
const Day = z.object({
  at: amount,
  values: z.array(amount).length(NUMBERS.length),
  changed: amount,
  sizes: Sizes.optional(),
  refused: amount.optional(),
})

const Site = z.object({
  log: z.object({ head: z.string(), offset: amount }).optional(),
  php: z.object({ started: amount, full: amount }).optional(),
  memory: z.object({ max: amount, oom: amount, killed: amount }).optional().catch(undefined),
  days: z.array(Day),
})

/** The days by system user, and the positions in their logs and counters. */
const NumbersFile = z.record(z.string(), Site)
export type NumberRecords = z.infer<typeof NumbersFile>

const MAX_BYTES = 64 << 20
const pathIn = ({ settings }: Pick<Host, 'settings'>) => `${settings.state_dir}/numbers.json`

/** Reads the records; an unreadable file counts as none. */
export async function readRecords(host: Host): Promise<NumberRecords> {
  return parseJson(NumbersFile, await host.files.read(pathIn(host), MAX_BYTES)) ?? {}
}

/** Writes the records without minutes, which a restart of the agent loses. */
export async function writeRecords(host: Host, records: NumberRecords): Promise<void> {
  await host.files.write(pathIn(host), `${JSON.stringify(records)}\n`, { mode: 0o600 })
}
