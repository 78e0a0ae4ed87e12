import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import { type Clock, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Person } from '#shared/access/api/access.ts'
import { MAX_KEYS } from '#shared/access/site-access.ts'
import { readSshKey } from '#shared/access/ssh-keys.ts'
import { conflict, invalid, notFound } from '#shared/kernel/errors.ts'
import { listPersonAccounts } from './accounts/show-accounts.ts'
import { fingerprintOf } from './fingerprint.ts'
import { isGrantApplied } from './is-grant-applied.ts'
import {
  deleteKey,
  deletePerson,
  findPerson,
  insertKey,
  insertPerson,
  listGrants,
  listKeys,
  listPeople,
  type PersonRow,
} from './queries.ts'

export interface PeopleDeps {
  db: Database
  clock: Clock
  marks: Marks
}

export async function getPerson({ db }: Pick<PeopleDeps, 'db'>, id: number): Promise<PersonRow> {
  const person = await findPerson(db, id)
  if (!person) throw notFound('Person')
  return person
}

export async function showPeople(deps: Pick<PeopleDeps, 'db' | 'marks'>): Promise<Person[]> {
  const { db } = deps
  const [all, keys, grants] = [await listPeople(db), await listKeys(db), await listGrants(db)]
  const accounts = await listPersonAccounts(deps)
  return all.map(({ id, name, created_at }) => {
    const own = keys.filter(({ person_id }) => person_id === id)
    const sites = grants.filter(({ person_id }) => person_id === id)
    return {
      id,
      name,
      created_at,
      account: accounts.get(id) ?? null,
      keys: own.map(({ id, type, fingerprint, comment, created_at }) => ({
        id,
        type,
        fingerprint,
        comment,
        created_at,
      })),
      sites: sites.map((grant) => {
        const { site_id, server_id, domain, kind, expires_at, ending } = grant
        const fingerprints = own.map(({ fingerprint }) => fingerprint)
        const applied = isGrantApplied(grant, fingerprints)
        return { site_id, server_id, domain, kind, expires_at, applied, ending }
      }),
    }
  })
}

export async function showPerson(
  deps: Pick<PeopleDeps, 'db' | 'marks'>,
  isMeant: (person: Person) => boolean,
): Promise<Person> {
  const person = (await showPeople(deps)).find(isMeant)
  if (!person) throw notFound('Person')
  return person
}

/** Creates a person. Throws 422 for a name that somebody has. */
export async function createPerson(
  deps: PeopleDeps,
  name: string,
  user_id: number,
): Promise<Person> {
  const { db, clock } = deps
  const entry = entryOf(clock, { type: 'person.create', user_id })
  await insertPerson(db, { name, created_at: timestamp(clock) }, entry).catch((error: unknown) => {
    if (!violatesUnique(error, 'people.name')) throw error
    throw invalid({ name: ['The name is already taken'] })
  })
  return showPerson(deps, (person) => person.name === name)
}

/** Removes a person. Throws 409 for one who has access to sites, or an account. */
export async function removePerson(
  deps: PeopleDeps,
  { id, name }: PersonRow,
  user_id: number,
): Promise<void> {
  const { sites } = await showPerson(deps, (person) => person.id === id)
  if (sites.length > 0) {
    const count = sites.length === 1 ? '1 site' : `${sites.length} sites`
    throw conflict(`${name} has access to ${count}: remove it first`)
  }
  const entry = entryOf(deps.clock, { type: 'person.delete', user_id })
  if (await deletePerson(deps.db, id, entry)) return
  throw conflict(`${name} has an account or an invitation: an owner must remove it first`)
}

/** Adds a key, which changes nothing on a server. Throws 422 for no public key or a known one. */
export async function addKey(
  deps: PeopleDeps,
  person: PersonRow,
  text: string,
  user_id: number,
): Promise<Person> {
  const { db, clock } = deps
  const key = readSshKey(text)
  if (typeof key === 'string') throw invalid({ key: [key] })
  const { type, blob, comment } = key
  const row = { person_id: person.id, type, blob, comment: comment.slice(0, 128) }
  const fingerprint = fingerprintOf(blob)
  const entry = entryOf(clock, { type: 'person.key_add', user_id })
  const values = { ...row, fingerprint, created_at: timestamp(clock) }
  const isAdded = await insertKey(db, values, MAX_KEYS, entry).catch((error: unknown) => {
    if (!violatesUnique(error, 'person_keys.fingerprint')) throw error
    throw invalid({ key: ['The key already belongs to a person'] })
  })
  if (!isAdded) throw invalid({ key: [`A person has at most ${MAX_KEYS} keys`] })
  return showPerson(deps, ({ id }) => id === person.id)
}

/** Removes a key, which the servers have until the access to their sites is updated. */
export async function removeKey(
  deps: PeopleDeps,
  person: PersonRow,
  id: number,
  user_id: number,
): Promise<Person> {
  const entry = entryOf(deps.clock, { type: 'person.key_delete', user_id })
  if (!(await deleteKey(deps.db, { id, person_id: person.id }, entry))) throw notFound('Key')
  return showPerson(deps, ({ id }) => id === person.id)
}
