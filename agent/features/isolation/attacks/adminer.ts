import { DatabaseTool } from '#agent/features/database/tool/ask.ts'
import { ADMINER } from '#agent/features/database/tool/install.ts'
import {
  failed,
  notApplicable,
  refused,
  type SceneAttack,
  succeeded,
} from '#agent/features/isolation/attack.ts'
import type { Scene } from '#agent/features/isolation/scene.ts'
import { passwordHash } from '#agent/kernel/database/password-hash.ts'
import {
  createTemporary,
  endTemporary,
  findTemporary,
} from '#agent/kernel/database/temporary-accounts.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'

const FORM = 'application/x-www-form-urlencoded'
const SYSTEM_FILE = /\broot:x?:0:0:/
const FILE = '/etc/passwd'
const TABLE = 'isolation_adminer'

/** Attacks with the temporary user of one site: see features/database/tool/. */
export const ADMINER_ATTACKS = {
  'sql.adminer': {
    severity: 'critical',
    title: 'Read another site or the server through Adminer',
    meaning: 'Who may open the database of one site reads the others, or files of the server.',
    async attempt(scene) {
      const { host, attacker } = scene
      if (!isMet(NEEDS.adminer, host) || !(await host.files.stat(ADMINER)))
        return notApplicable('Adminer is not installed on this server')
      const password = host.random.text(43)
      const token = host.random.name(10)
      const account = { token, rights: 'write', seconds: 300 } as const
      await createTemporary(host, attacker, { ...account, password_hash: passwordHash(password) })
      const made = await findTemporary(host, token)
      if (!made) return failed('no temporary user was created')
      try {
        const visit = visitor(host, attacker, { user: made.user, password })
        if (!(await visit('')).includes(attacker.user)) return failed('Adminer did not answer')
        const did = await readings(scene, visit)
        return did.length > 0 ? succeeded(`it ${did.join(', ')}`) : refused()
      } finally {
        await endTemporary(host.steady ?? host, made.user)
      }
    },
  },
} as const satisfies Record<string, SceneAttack>

type AdminerVisit = (query: string, form?: Record<string, string>) => Promise<string>

/** Returns a visitor of Adminer: pages as text ("" for none), forms with the token of the page. */
function visitor(host: Host, { user: database }: Site, login: { user: string; password: string }) {
  const tool = new DatabaseTool(host)
  const page = async (query: string, body?: string) => {
    const method = body === undefined ? 'GET' : 'POST'
    const form = { type: body === undefined ? '' : FORM, body: btoa(body ?? '') }
    const answer = await tool
      .askFor(database, { ...login, ...form, method, query })
      .catch(() => undefined)
    return answer ? new TextDecoder().decode(answer.content) : ''
  }
  const visit: AdminerVisit = async (query, form) => {
    const first = await page(query)
    if (!form) return first
    const token = /name=['"]token['"] value=['"]([\d:]+)['"]/.exec(first)?.[1] ?? ''
    return page(query, String(new URLSearchParams({ ...form, token })))
  }
  return visit
}

async function readings({ neighbour, about }: Scene, visit: AdminerVisit): Promise<string[]> {
  const options = `${about.prefix}options`
  const sql = (query: string) => visit('sql=', { query, limit: '' })
  const others = [
    await visit(`db=${neighbour.user}&select=${options}`),
    await sql(`SELECT option_value FROM \`${neighbour.user}\`.\`${options}\``),
  ]
  const files = [
    await visit(`sqlite=${FILE}&username=&db=${FILE}`),
    await sql(`SELECT LOAD_FILE('${FILE}')`),
    await sql(
      `CREATE TABLE ${TABLE} (line TEXT);\nLOAD DATA LOCAL INFILE '${FILE}' INTO TABLE ${TABLE}`,
    ),
    await sql(`SELECT line FROM ${TABLE}`),
  ]
  const server = await visit('server=other.invalid&username=root&db=mysql')
  return [
    ...(others.some((text) => text.includes(neighbour.domain)) ? ['read its neighbour'] : []),
    ...(files.some((text) => SYSTEM_FILE.test(text)) ? ['read a file of the server'] : []),
    ...(server.includes('global_priv') ? ['read the database of MariaDB'] : []),
  ]
}
