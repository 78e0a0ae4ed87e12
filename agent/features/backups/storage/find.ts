import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { type BackupTarget, RepositoryName } from '#shared/backups/backup.ts'
import {
  type FindRequest,
  type FoundRepositories,
  KEEPER_FOLDER,
  type KeeperRequest,
  type KeeperTexts,
  MAX_FOUND,
  MAX_PASSWORDS,
  SealedKey,
} from '#shared/backups/backup-find.ts'
import { KeeperNames, KeeperReport, SignedReport } from '#shared/backups/keeper-report.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { readKeys } from './read-keys.ts'

const Key = z.object({ hostname: z.string(), username: z.string() })
const RECOVERY = 'recovery-'
const MAX_TEXTS = 20

/**
 * Finds the repositories of sites in a storage, and their passwords as the recovery kits decrypt
 * them. A storage that lists nothing has those of the report of its keeper.
 */
export async function findRepositories(
  host: Host,
  { target, repositories, after }: FindRequest,
): Promise<FoundRepositories> {
  const isAsked = repositories === null && target.place.kind === 'rest'
  const reported = isAsked ? await reportedNames(host, target) : undefined
  const named = reported?.names ?? repositories
  const request = { repositories: named, after, most: MAX_FOUND, containing: `"${RECOVERY}` }
  const { is_listed, repositories: read, next } = await readKeys(host, target, request)
  const ofSites = read.filter(({ name }) => RepositoryName.safeParse(name).success)
  const found = ofSites.map(({ name, texts }) => ({
    name,
    keys: texts.flatMap(sealedIn).slice(0, MAX_PASSWORDS),
  }))
  const unnamed = reported?.unnamed ?? 0
  return { is_listed, repositories: found.filter(({ keys }) => keys.length > 0), next, unnamed }
}

/** Returns only keys in the form of those for a recovery kit: see `prepareRepository`. */
function sealedIn(text: string): SealedKey[] {
  const key = parseJson(Key, text)
  if (!key?.hostname.startsWith(RECOVERY)) return []
  const kit = key.hostname.slice(RECOVERY.length)
  const sealed = SealedKey.safeParse({ kit, sealed: key.username })
  return sealed.success ? [sealed.data] : []
}

/** Returns names only: nothing else is believed. `unnamed` is the number of further ones. */
async function reportedNames(host: Host, target: BackupTarget) {
  const texts = await textsOf(host, target)
  const named = texts.flatMap((text) => parseJson(ReportedNames, reportIn(text)) ?? [])
  const names = new Set(named.flatMap((one) => one.names))
  const counted = Math.max(0, ...named.map(({ repositories = 0 }) => repositories))
  return {
    names: [...names].filter((name) => RepositoryName.safeParse(name).success),
    unnamed: Math.max(0, counted - names.size),
  }
}

const ReportedNames = KeeperNames.pick({ names: true }).extend({
  repositories: z.number().optional(),
})
const reportIn = (text: string) => parseJson(SignedReport, text)?.report

/** Reads the reports of keepers, which only their signatures prove; without lists of names. */
export async function readKeeper(host: Host, { target }: KeeperRequest): Promise<KeeperTexts> {
  const texts = await textsOf(host, target)
  const reports = texts.filter((text) => parseJson(KeeperReport, reportIn(text)) !== undefined)
  return { texts: reports.slice(0, MAX_TEXTS) }
}

async function textsOf(host: Host, target: BackupTarget): Promise<string[]> {
  const request = { repositories: [KEEPER_FOLDER], after: '', most: 1, containing: '"signature"' }
  const { repositories } = await readKeys(host, target, request)
  return repositories.flatMap(({ texts }) => texts)
}
