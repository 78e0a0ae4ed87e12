import { sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Random } from '#tests/support/random.ts'

const DAY_MS = 24 * 3600_000
const STATUSES = ['active', 'active', 'active', 'suspended', 'failed', 'missing', 'trashed']
const INTERVALS = ['daily', 'weekly', 'off', null]

/** Changes the records of a fleet at random, always in the same way for a seed. */
export class RandomFleet {
  readonly #db: Database
  readonly #random: Random
  #names = 0

  constructor(db: Database, random: Random) {
    this.#db = db
    this.#random = random
  }

  async begin(now: Date): Promise<void> {
    const kinds = [...Array(5).fill('a server'), ...Array(25).fill('a site')]
    for (const name of kinds) await this.#make(name, now)
  }

  /** One change of any kind. Returns its name. */
  async change(now: Date): Promise<string> {
    const name = this.#random.pick(Object.keys(this.#changes(now)))
    await this.#make(name, now)
    return name
  }

  async #make(name: string, now: Date): Promise<void> {
    const change = this.#changes(now)[name]
    if (change) await this.#db.write((queries) => queries.run(change))
  }

  #changes(now: Date) {
    const ago = (days: number) =>
      new Date(now.getTime() - this.#random.below(days * DAY_MS)).toISOString()
    const site = sql`(select id from sites order by id % ${7 + this.#random.below(30)}, id limit 1)`
    const server = sql`(select id from servers order by id % ${2 + this.#random.below(6)}, id limit 1)`
    const backup = sql`(select id from backups order by id % ${3 + this.#random.below(9)}, id limit 1)`
    const set = (text: string, value: unknown) =>
      sql`update sites set ${sql.raw(text)} = ${value} where id = ${site}`
    const name = `n${++this.#names % 40}.example`
    const updates = this.#random.pick([null, 0, 0, 1, 3])
    return {
      'a server': sql`insert into servers (name, hostname, port, user, tags, status, metrics_at, created_at)
        values (${name}, ${name}, 1, 'root', ${this.#random.pick(['[]', '["eu"]', '["us"]'])}, 'online', ${now.toISOString()}, ${ago(90)})`,
      ...this.#sites({ site, server, name, now, ago, set, updates }),
      'the end of a site': sql`delete from sites where id = ${site} and ${this.#random.below(3)} = 0`,
      'the end of a server': sql`delete from servers where id = ${server} and ${this.#random.below(30)} = 0`,
      'a tag': sql`update servers set tags = ${this.#random.pick(['[]', '["eu"]'])} where id = ${server}`,
      'a silent server': sql`update servers set status = ${this.#random.pick(['online', 'online', 'offline'])} where id = ${server}`,
      'a rule': sql`insert or replace into backup_rules (tag, every) values ('eu', ${this.#random.pick(INTERVALS)})`,
      'the end of a rule': sql`delete from backup_rules`,
      'a setting': sql`insert or replace into backup_settings (site_id, every, exclude) select id, ${this.#random.pick(INTERVALS)}, '[]' from sites where id = ${site}`,
      'the interval': sql`insert or replace into settings (key, value) values ('backup_every', ${JSON.stringify(this.#random.pick(['daily', 'weekly', 'off']))})`,
      'a backup': sql`insert into backups (site_id, server_id, domain, target_id, repository, snapshot, at, recorded_at, files, bytes, stored, tables, seconds)
        select id, server_id, domain, 1, user, ${`${this.#names}`}, ${ago(20)}, ${ago(20)}, 1, 1, 1, 1, 1 from sites where id = ${site}`,
      'a backup that is gone': sql`update backups set gone_at = ${this.#random.pick([null, now.toISOString()])} where id = ${backup}`,
      'the end of a backup': sql`delete from backups where id = ${backup} and ${this.#random.below(3)} = 0`,
      'a proof': sql`insert into backup_proofs (backup_id, site_id, at, recorded_at, proven, findings, rows, tables, files, bytes, pages, seconds)
        select id, site_id, ${ago(20)}, ${ago(20)}, ${this.#random.below(2)}, '[]', 1, 1, 1, 1, '[]', 1 from backups where id = ${backup}`,
      'the end of a proof': sql`delete from backup_proofs where backup_id = ${backup}`,
    } as Record<string, ReturnType<typeof sql>>
  }

  #sites({ site, server, name, now, ago, set, updates }: OfSites) {
    const certificate = this.#random.pick(['', at(now, -2), at(now, 5), at(now, 60)])
    return {
      'a site': sql`insert or ignore into sites (server_id, domain, apex, user, php, tier, tls, framework, managed, found, status, certificate_expires_at, created_at)
        select ${server}, ${name}, ${name}, 'shop', ${this.#random.pick(['7.4', '8.3'])}, 'small', ${this.#random.pick(['none', 'letsencrypt'])}, 'wordpress',
          0, ${this.#random.below(2)}, ${this.#random.pick(STATUSES)}, ${certificate}, ${ago(60)} where exists (select 1 from servers)`,
      'a status': set('status', this.#random.pick(STATUSES)),
      'another server': sql`update or ignore sites set server_id = ${server} where id = ${site}`,
      'another name': sql`update or ignore sites set domain = ${name}, apex = ${name} where id = ${site}`,
      'an ignored site': set('ignored_at', this.#random.pick([null, now.toISOString()])),
      'a PHP': set('php', this.#random.pick(['7.4', '8.3'])),
      health: set('health', this.#random.pick([null, 'up', 'down', 'degraded'])),
      plugins: set('updates_plugins', updates),
      core: set('updates_core', this.#random.pick([null, 0, 1])),
      framework: set('framework', this.#random.pick(['wordpress', 'unknown'])),
      'a certificate': set('certificate_expires_at', certificate),
      TLS: set('tls', this.#random.pick(['none', 'letsencrypt'])),
      staging: set('staging', this.#random.below(2)),
      found: set('found', this.#random.below(2)),
      managed: sql`update or ignore sites set managed = ${this.#random.below(2)} where id = ${site}`,
    }
  }
}

interface OfSites {
  site: ReturnType<typeof sql>
  server: ReturnType<typeof sql>
  name: string
  now: Date
  ago: (days: number) => string
  set: (text: string, value: unknown) => ReturnType<typeof sql>
  updates: number | null
}

const at = (now: Date, days: number) => new Date(now.getTime() + days * DAY_MS).toISOString()
