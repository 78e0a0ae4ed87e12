import { z } from 'zod'
import type { Host } from '#agent/host/ports.ts'
import { type BackupTarget, RepositoryName } from '#shared/backup.ts'
import {
  type FindRequest,
  type FoundRepositories,
  isOfSite,
  KEEPER_FOLDER,
  type KeeperRequest,
  type KeeperTexts,
  MOST_FOUND,
  MOST_PASSWORDS,
  SealedKey,
} from '#shared/backup-find.ts'
import { KeeperReport, SignedReport } from '#shared/keeper-report.ts'
import { parseJson } from '#shared/parse.ts'
import { readKeys } from './read-keys.ts'

const Key = z.object({ hostname: z.string(), username: z.string() })
const RECOVERY = 'recovery-'
const MOST_TEXTS = 20

/**
 * The repositories of sites in a storage, and their passwords as the recovery kits open them. A
 * storage that lists nothing has those of the report of its keeper.
 */
export async function findRepositories(
  host: Host,
  { target, repositories, after }: FindRequest,
): Promise<FoundRepositories> {
  const named =
    repositories ?? (target.place.kind === 'rest' ? await reportedNames(host, target) : null)
  const request = { repositories: named, after, most: MOST_FOUND, containing: `"${RECOVERY}` }
  const { is_listed, repositories: read, next } = await readKeys(host, target, request)
  const ofSites = read.filter(({ name }) => isOfSite(name))
  const found = ofSites.map(({ name, texts }) => ({
    name,
    keys: texts.flatMap(sealedIn).slice(0, MOST_PASSWORDS),
  }))
  return { is_listed, repositories: found.filter(({ keys }) => keys.length > 0), next }
}

/** Only what a key for a recovery kit looks like: see prepareRepository. */
function sealedIn(text: string): SealedKey[] {
  const key = parseJson(Key, text)
  if (!key?.hostname.startsWith(RECOVERY)) return []
  const kit = key.hostname.slice(RECOVERY.length)
  const sealed = SealedKey.safeParse({ kit, sealed: key.username })
  return sealed.success ? [sealed.data] : []
}

/** Names only: nothing is believed of them, so the signature of the report does not matter. */
async function reportedNames(host: Host, target: BackupTarget): Promise<string[]> {
  const { texts } = await readKeeper(host, { target })
  const reports = texts.map((text) => parseJson(SignedReport, text)?.report)
  const names = reports.flatMap((report) => parseJson(KeeperReport, report)?.names ?? [])
  return [...new Set(names)].filter((name) => RepositoryName.safeParse(name).success)
}

/** What keepers reported; only a signature shows which one did. */
export async function readKeeper(host: Host, { target }: KeeperRequest): Promise<KeeperTexts> {
  const request = { repositories: [KEEPER_FOLDER], after: '', most: 1, containing: '"signature"' }
  const { repositories } = await readKeys(host, target, request)
  return { texts: repositories.flatMap(({ texts }) => texts).slice(0, MOST_TEXTS) }
}
