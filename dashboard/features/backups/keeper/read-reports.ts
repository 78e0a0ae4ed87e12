import { constants, verify } from 'node:crypto'
import { listTargets, type TargetRow } from '#dashboard/features/backups/queries.ts'
import { getTarget, openTarget } from '#dashboard/features/backups/targets.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import { KeeperReport, SignedReport, signedText } from '#shared/backups/keeper-report.ts'
import { keeperReading } from '#shared/backups/readings.ts'
import { isDue, isInFuture } from '#shared/kernel/age.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { listReaders, readStates, setState } from './state.queries.ts'

interface Deps extends Pick<CommonDeps, 'db' | 'clock' | 'log'> {
  sealer: Sealer
  agents: Agents
}

export const KEEPER_MS = 10 * 60_000
const EVERY_MS = 6 * 3600_000
/** The maximum of servers that are asked until one can read the storage. */
const MAX_SERVERS = 3

/** Asks a server for the report of each keeper beside a remote storage, a few times a day. */
export async function readReports(deps: Deps): Promise<void> {
  const { db, clock } = deps
  const states = await readStates(db)
  for (const { id, place, keeper_key: key } of await listTargets(db)) {
    if (key === null || place.kind === 'local') continue
    const known = states[id]?.key === key ? states[id] : undefined
    if (known && !isDue(known.asked_at, EVERY_MS, clock.now())) continue
    const texts = await readReportTexts(deps, await getTarget(deps, id))
    const now = clock.now()
    // Somebody may have put an earlier report in the place of the newest one.
    const reports = [newestSignedReport(key, texts, now) ?? [], known?.report ?? []].flat()
    const report = newestReport(reports, now) ?? null
    await setState(db, id, { key, asked_at: timestamp(clock), report })
  }
}

/** Returns the texts of the reports; none if no server can read the storage now. */
async function readReportTexts(
  { db, agents, sealer, log }: Deps,
  target: TargetRow,
): Promise<string[]> {
  for (const server of await listReaders(db, target.id, MAX_SERVERS)) {
    try {
      const body = { target: openTarget(target, sealer) }
      return (await agents.call(server, keeperReading, body)).texts
    } catch (error) {
      log.error(`the report of the keeper of ${target.name} could not be read`, error)
    }
  }
  return []
}

/** Returns the newest report; one of the future only if there is no other one. */
const newestReport = (reports: readonly KeeperReport[], now: Date): KeeperReport | undefined =>
  reports.toSorted(
    (one, other) =>
      Number(isInFuture(one.at, now)) - Number(isInFuture(other.at, now)) ||
      Date.parse(other.at) - Date.parse(one.at),
  )[0]

/** Returns the newest report that the keeper has signed: anybody may write others. */
export const newestSignedReport = (
  key: string,
  texts: readonly string[],
  now: Date,
): KeeperReport | undefined =>
  newestReport(
    texts.flatMap((text) => verifiedReport(key, text) ?? []),
    now,
  )

function verifiedReport(key: string, text: string): KeeperReport | undefined {
  const signed = parseJson(SignedReport, text)
  if (!signed) return undefined
  const padding = constants.RSA_PKCS1_PSS_PADDING
  const saltLength = constants.RSA_PSS_SALTLEN_DIGEST
  const signature = Buffer.from(signed.signature, 'base64')
  const bytes = Buffer.from(signedText(signed.report))
  const isOwn = verify('sha256', bytes, { key, padding, saltLength }, signature)
  return isOwn ? parseJson(KeeperReport, signed.report) : undefined
}
