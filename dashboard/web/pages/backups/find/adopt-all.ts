import { adoptBackups, confirmKit, createKit, findBackups } from '#dashboard/web/api/backups.ts'
import { messageOf } from '#dashboard/web/api/client.ts'
import { answerOf, readKit, sealTo } from '#dashboard/web/pages/backups/kit/key-pair.ts'
import { privateKeyIn } from '#dashboard/web/pages/backups/kit/kit-file.ts'
import type { AdoptedBackups, FoundBackups } from '#shared/backups/api/backup-found.ts'

/** A repository in a target, and what was done with it. */
export type Found = { name: string } & (
  | { state: 'waiting' | 'reading' | 'other_kit' }
  | { state: 'done'; adopted: AdoptedBackups }
  | { state: 'failed'; message: string }
)

export interface Search {
  target_id: number
  server_id: number
  /** The text of the recovery kit: it stays in the page. */
  kit: string
  /** Null: those that the storage lists. */
  repositories: string[] | null
  /** There is a kit in use. */
  hasKit: boolean
}

/** What is wrong with the chosen file or with the names, in a sentence. */
export class NotFound extends Error {}

/**
 * Finds the repositories in a target, decrypts their passwords with the kit, and has their backups
 * recorded, one repository after the other. A dashboard without a kit uses this one from then on.
 * Returns how many more repositories there are, whose names are not known.
 */
export async function adoptAll(
  search: Search,
  show: (found: readonly Found[]) => void,
): Promise<number> {
  const kit = await kitIn(search.kit)
  if (!search.hasKit) await takeKit(kit)
  const found: Found[] = []
  let unnamed = 0
  for await (const { page, repository } of repositoriesOf(search)) {
    if (!repository) {
      unnamed = page.unnamed
      found.push(...page.repositories.map(({ name }) => ({ name, state: 'waiting' as const })))
      show([...found])
      continue
    }
    const at = found.findIndex(({ name }) => name === repository.name)
    for await (const state of adopting(search, kit, page.dashboard_key, repository)) {
      found[at] = state
      show([...found])
    }
  }
  return unnamed
}

type Repository = FoundBackups['repositories'][number]

/** Each page, and then each repository of it. */
async function* repositoriesOf({ target_id, server_id, repositories }: Search) {
  for (let after: string | null = ''; after !== null; ) {
    const page: FoundBackups = await findBackups(server_id, { target_id, repositories, after })
    const isUnlisted = !page.is_listed && repositories === null
    if (isUnlisted && page.repositories.length === 0) throw new NotFound(UNLISTED)
    yield { page }
    for (const repository of page.repositories) yield { page, repository }
    after = page.next
  }
}

const UNLISTED =
  'The storage does not list its repositories: enter the names of their folders, one per line.'

async function* adopting(
  { target_id, server_id }: Search,
  kit: Kit,
  dashboard_key: string,
  { name, keys }: Repository,
): AsyncGenerator<Found> {
  const own = keys.filter((key) => key.kit === kit.fingerprint)
  const opened = await Promise.all(own.map(({ sealed }) => kit.open(sealed)))
  const passwords = opened.flatMap((password) => password ?? [])
  if (passwords.length === 0) {
    yield { name, state: 'other_kit' }
    return
  }
  yield { name, state: 'reading' }
  const sealed_passwords = await Promise.all(passwords.map((each) => sealTo(dashboard_key, each)))
  yield await adoptBackups(server_id, { target_id, repository: name, sealed_passwords }).then(
    (adopted): Found => ({ name, state: 'done', adopted }),
    (error: unknown): Found => ({ name, state: 'failed', message: messageOf(error) }),
  )
}

type Kit = Awaited<ReturnType<typeof readKit>> & { private_key: string }

async function kitIn(text: string): Promise<Kit> {
  const private_key = privateKeyIn(text)
  const kit = private_key && (await readKit(private_key).catch(() => undefined))
  if (private_key && kit) return { ...kit, private_key }
  throw new NotFound('The file has no private key. Choose the recovery kit.')
}

async function takeKit({ public_key, private_key }: Kit): Promise<void> {
  const { challenge } = await createKit(public_key)
  await confirmKit(await answerOf(private_key, challenge))
}
