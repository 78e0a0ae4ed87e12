import { constants, privateDecrypt, publicEncrypt } from 'node:crypto'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { knownKey } from '#tests/support/key-pair.ts'
import type { Dashboard } from './dashboard.ts'

const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }

export const kit = knownKey('kit')
/** What only the kit opens, in base64. */
export const sealed = (text: string, key = kit.publicKey): string =>
  publicEncrypt({ key, ...OAEP }, Buffer.from(text)).toString('base64')

/** What a challenge is answered with. */
export const opened = (key: string, challenge: string): string =>
  privateDecrypt({ key, ...OAEP }, Buffer.from(challenge, 'base64')).toString('base64')

export const PASSWORD = 'password-of-the-repository'
export const SECRET = 'needle-in-the-haystack'
export const place = { kind: 'rest', url: 'https://backup.example:8000/', user: 'hosting', ca: '' }
const UNTIL = '2126-01-08T00:00:00.000Z'

/** What an agent reports of a backup with a broken page. */
export const PROOF = {
  at: '2026-01-02T00:00:00.000Z',
  proven: false,
  findings: [{ code: 'page_fails' as const, message: '/ is answered with 500' }],
  ...{ files: 10, bytes: 2000, tables: 12, rows: 340 },
  pages: [{ path: '/', status: 500 }],
  core: 'same',
  seconds: 12.4,
}

/** An agent that accepts all commands of backups, and the params it received. */
export function backupAgent({ now }: { now?: () => Date } = {}) {
  /** What it lists as present after a backup; undefined: it lists nothing. */
  const list: { present?: string[] } = {}
  const agent = new FakeAgent()
  const given: Record<string, Record<string, unknown>>[] = []
  let count = 0
  agent.works.set('backup.check', async function* (params) {
    given.push({ 'backup.check': params })
    yield 'The target can be written and read'
    return { status: 'ok', append_only: true }
  })
  agent.works.set('backup.create', async function* (params) {
    given.push({ 'backup.create': params })
    yield 'Saving the files'
    agent.passwords.kept.add(String(params.repository))
    count += 1
    const key = String(params.dashboard_key)
    const sizes = { files: 10, bytes: 2000, stored: 300, tables: 12, seconds: 1.5 }
    const at = now?.().toISOString() ?? `2026-01-0${count}T00:00:00.000Z`
    const backup = {
      id: String(count).repeat(64).slice(0, 64),
      repository: String(params.repository),
      at,
      ...sizes,
    }
    const sealed_password = sealed(PASSWORD, key)
    return { status: 'ok', domain: params.domain, backup, sealed_password, ...list }
  })
  agent.works.set('backup.prove', async function* (params) {
    given.push({ 'backup.prove': params })
    yield 'Restoring the files'
    return { status: 'ok', domain: params.domain, proof: { ...PROOF, backup: params.backup } }
  })
  agent.works.set('backup.restore', async function* (params) {
    given.push({ 'backup.restore': params })
    yield 'Fetching the backup'
    return { status: 'ok', domain: params.domain, at: '2026-01-01T00:00:00.000Z', until: UNTIL }
  })
  agent.works.set('backup.undo', async function* (params) {
    given.push({ 'backup.undo': params })
    yield 'Restoring the previous files'
    return { status: 'ok', domain: params.domain }
  })
  return { agent, given, list }
}

type Caller = Pick<Dashboard, 'call' | 'send'>

/** Creates and confirms a kit. */
export async function confirmKit(dashboard: Caller, pair = kit): Promise<void> {
  const { body } = await dashboard.call('POST', '/api/backup-kit', { public_key: pair.publicKey })
  const answer = opened(pair.privateKey, body.challenge)
  await dashboard.call('POST', '/api/backup-kit/confirm', { answer })
}

/** Adds a target, and checks it from a server. */
export async function checkedTarget(dashboard: Caller, server_id: number): Promise<number> {
  const created = await dashboard.call('POST', '/api/backup-targets', {
    ...{ name: 'Backup server', place, secret: SECRET },
  })
  const { id } = created.body.target
  const response = await dashboard.send('POST', `/api/servers/${server_id}/backup-check`, {
    target_id: id,
  })
  await response.text()
  return id
}

/** Returns the path of its backups. */
export async function addSite(dashboard: Dashboard, server_id: number): Promise<string> {
  const at = `/api/servers/${server_id}/sites`
  const id = await dashboard.addSite(server_id, { domain: 'shop.example', php: '8.2' })
  return `${at}/${id}/backups`
}

export const streamed = async (dashboard: Dashboard, to: string, input: object = {}) => {
  const response = await dashboard.send('POST', to, input)
  return { status: response.status, text: await response.text() }
}
