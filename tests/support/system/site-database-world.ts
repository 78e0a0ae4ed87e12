import { PART_BYTES, type TableResult } from '#shared/database/site-database.ts'
import { type Answer, endOf } from './dashboard.ts'
import { startWithShop } from './enrolled.ts'

export interface Login {
  user: string
  password: string
  database: string
}

interface Managed {
  id: number
  user: string
}

export type SiteDatabaseWorld = Awaited<ReturnType<typeof startSiteDatabase>>

const BATCH = ['--batch', '--skip-column-names']

/** A server with two sites, and the calls for the database of the first. */
export async function startSiteDatabase(suite: 'bookworm' | 'trixie', php: string) {
  const { world, shop } = await startWithShop(suite)
  const { host, dashboard, path, stop } = world
  const create = async (domain: string): Promise<Managed> => {
    const created = await dashboard.call('POST', path('/sites'), { domain, php, tls: 'none' })
    await endOf(dashboard, created)
    const { id } = created.body.site as Managed
    return (await dashboard.call('GET', path(`/sites/${id}`))).body.site as Managed
  }
  const other = await create('neighbour.example.test')
  const at = (below: string) => path(`/sites/${shop.id}${below}`)
  const root = async (sql: string): Promise<string[]> =>
    (await host.must(['mariadb', ...BATCH], { input: `${sql};\n` })).split('\n').filter(Boolean)
  return {
    ...{ host, dashboard, shop, other, stop, at, root },
    call: (method: string, below: string, body?: object): Promise<Answer> =>
      dashboard.call(method, at(below), body),
    /** A temporary user, with its password. */
    async login(rights: string, minutes = 60): Promise<Login> {
      const { status, body } = await dashboard.call('POST', at('/database/users'), {
        ...{ rights, minutes },
      })
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body as unknown as Login
    },
    /** The error of MariaDB for statements of a temporary user; 0: none. */
    async errorOf({ user, password, database }: Login, sql: string): Promise<number> {
      const argv = ['mariadb', '--no-defaults', `--user=${user}`, ...BATCH, database]
      const options = { input: `${sql};\n`, env: { MYSQL_PWD: password }, timeout_ms: 60_000 }
      const { code, stderr } = await host.exec(argv, options)
      return code === 0 ? 0 : Number(/^ERROR (\d+)/m.exec(stderr)?.[1] ?? -1)
    },
    /** A connection that stays open until it is ended. */
    sleeping({ user, password, database }: Login) {
      const argv = ['mariadb', '--no-defaults', `--user=${user}`, '--execute=SELECT SLEEP(600)']
      return host.spawn([...argv, database], { MYSQL_PWD: password })
    },
    async maintain(body: object): Promise<TableResult[]> {
      const end = (await dashboard.stream('POST', at('/database/maintenance'), body)).at(-1)
      if (end?.event !== 'complete') throw new Error(JSON.stringify(end))
      return end.data.tables as TableResult[]
    },
    async users() {
      const { body } = await dashboard.call('GET', at('/database/users'))
      return (body.users ?? []) as { user: string; rights: string }[]
    },
    async connections(user: string): Promise<number> {
      const list = 'information_schema.PROCESSLIST'
      return Number((await root(`SELECT COUNT(*) FROM ${list} WHERE USER = '${user}'`))[0])
    },
    /** The last event of an import. */
    async import(dump: Uint8Array, more: object) {
      return (await this.imported(dump, more)).at(-1)
    },
    /** Uploads a dump in parts, and imports it: all events. */
    async imported(dump: Uint8Array, more: object) {
      const upload = crypto.randomUUID().replaceAll('-', '').slice(0, 16)
      const part_count = Math.ceil(dump.length / PART_BYTES)
      for (let part = 0; part < part_count; part++) {
        const bytes = dump.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
        const data = Buffer.from(bytes).toString('base64')
        const body = { upload, part, data }
        const { status, body: said } = await dashboard.call('POST', at('/database/uploads'), body)
        if (status !== 200) throw new Error(JSON.stringify(said))
      }
      const body = { upload, part_count, ...more }
      return dashboard.stream('POST', at('/database/import'), body)
    },
    stream: (method: string, below: string, body?: object) =>
      dashboard.stream(method, at(below), body),
  }
}
