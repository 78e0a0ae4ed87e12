import type { DatabaseRow, Host } from '#agent/kernel/host/ports.ts'

export interface ForeignObject {
  kind: 'view' | 'routine' | 'trigger' | 'event' | 'account' | 'right'
  /** The name of a database; `*` for all. */
  database: string
  /** The name of the object, or `user@host` of the account that has the right. */
  name: string
  /** The rights with which the view or routine runs: those of its caller or of its definer. */
  security?: 'INVOKER' | 'DEFINER'
  definer?: string
}

const MYSQL = '/var/lib/mysql'
const MAX_OBJECTS = 1001
const MAX_FILES = 50_000

/** Lists views, triggers, routines and events in the database of a site. */
export async function objectsIn(host: Host, user: string): Promise<ForeignObject[]> {
  const { database } = host
  const objectOf = (kind: ForeignObject['kind'], row: DatabaseRow): ForeignObject => ({
    kind,
    database: user,
    name: String(row.name),
    definer: String(row.definer),
    security: row.security_type === 'INVOKER' ? 'INVOKER' : 'DEFINER',
  })
  const routines = await database.admin('list_routines', [user, MAX_OBJECTS])
  const events = await database.admin('list_events', [user, MAX_OBJECTS])
  return [
    ...routines.map((row) => objectOf('routine', row)),
    ...events.map((row) => objectOf('event', row)),
    ...(await definitionsIn(host, user)),
  ]
}

/** Reads the text files of views and triggers: MariaDB's own tables would open them. */
async function definitionsIn({ files }: Host, user: string): Promise<ForeignObject[]> {
  const folder = `${MYSQL}/${folderOf(user)}`
  const names = (await files.list(folder)).map(({ name }) => name)
  if (names.length > MAX_FILES) throw new Error(`more than ${MAX_FILES} files`)
  const found: ForeignObject[] = []
  for (const name of names) {
    if (found.length >= MAX_OBJECTS) return found
    const database = user
    if (name.endsWith('.TRN')) {
      found.push({ kind: 'trigger', database, name: nameOf(name), security: 'DEFINER' })
    }
    const view = name.endsWith('.frm') ? await viewAt(files, `${folder}/${name}`) : undefined
    if (view) found.push({ kind: 'view', database, name: nameOf(name), ...view })
  }
  return found
}

/** Reads a view; a larger file is the definition of a table. */
async function viewAt(
  files: Host['files'],
  path: string,
): Promise<Pick<ForeignObject, 'security' | 'definer'> | undefined> {
  const text = await files.read(path).catch(() => undefined)
  if (!text?.startsWith('TYPE=VIEW')) return undefined
  const field = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  return {
    security: field('suid') === '0' ? 'INVOKER' : 'DEFINER',
    definer: `${field('definer_user')}@${field('definer_host')}`,
  }
}

/** Decodes the name of the file of an object: signs but letters, digits and `_` are codes. */
function nameOf(path: string): string {
  const encoded = path.replace(/\.\w+$/, '')
  return encoded.replace(/@([0-9a-f]{4})/g, (_, code) => String.fromCharCode(parseInt(code, 16)))
}

/** Encodes a name as MariaDB does: all but letters, digits and `_` as `@` and a code. */
export function folderOf(name: string): string {
  return name.replace(/\W/g, (sign) => `@${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
