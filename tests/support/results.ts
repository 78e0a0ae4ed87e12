import type { OperationType } from '#shared/operation-types.ts'

const at = '2026-01-01T00:00:00.000Z'
const SNAPSHOT = 'a'.repeat(64)
const addresses = { replaced: 1, left: [] }
const replaced = { at, until: at, addresses }
const names = { www: 'serve', aliases: [], redirects: [] }
const DOMAIN = 'own.example'
const domain = { domain: DOMAIN }
const access = {
  user: 'own',
  shell_user: 'own',
  ports: [22],
  host_keys: [],
  grants: [],
  clients: [],
}
const settings = {
  ...domain,
  ...{ maintenance: null, basic_auth: null, php_settings: null, page_cache: null, xmlrpc: 'on' },
  ...{ trusted_cdn: null, page_purge: false, csp: 'basic', hsts: 'on' },
}
const job = {
  name: 'nightly',
  schedule: '0 3 * * *',
  command: 'true',
  max_minutes: 5,
  enabled: true,
}
const place = { kind: 'rest', url: 'https://backup.example', user: 'u', ca: '' }
const target = { target_id: 1, place, secret_sealed: 'sealed' }

export interface Sample {
  /** As they are recorded. */
  params: Record<string, unknown>
  /** A result that an agent may send. */
  result: Record<string, unknown>
}

const user = `hosting_tmp_${'a'.repeat(10)}_1767225600`
const temporary: Sample = {
  params: domain,
  result: { ...domain, user, database: 'own', ends_at: at },
}
const simple: Sample = { params: domain, result: domain }

/** Params and a valid result of each type of operation that an agent runs, for the site own.example. */
export const SAMPLES: Partial<Record<OperationType, Sample>> = {
  'agent.upgrade': { params: {}, result: { version: '1.2.3' } },
  'backup.check': { params: target, result: { append_only: true } },
  'backup.create': {
    params: { ...domain, ...target, kit_id: 1, exclude: [], repository: 'own' },
    result: {
      ...domain,
      backup: {
        ...{ id: SNAPSHOT, repository: 'own', at, files: 1, bytes: 1, stored: 1, tables: 1 },
        seconds: 1,
      },
      sealed_password: 'bGllcw==',
      present: [SNAPSHOT],
    },
  },
  'backup.prove': {
    params: { ...domain, ...target, backup_id: 1, backup: SNAPSHOT, repository: 'own' },
    result: {
      ...domain,
      proof: {
        ...{ backup: SNAPSHOT, at, proven: true, findings: [], files: 1, bytes: 1, tables: 1 },
        ...{ rows: 1, pages: [], core: 'same', seconds: 1 },
      },
    },
  },
  'backup.restore': { params: domain, result: { ...domain, at, until: at } },
  'backup.undo': simple,
  'cache.purge': simple,
  'database.import': { params: domain, result: { ...domain, at, until: at, bytes: 1 } },
  'database.maintain': {
    params: { ...domain, action: 'check' },
    result: { ...domain, action: 'check', tables: [] },
  },
  'database.tool': temporary,
  'database.user': temporary,
  'database.user-end': { params: { ...domain, user }, result: { ...domain, user } },
  'isolation.check': {
    params: {},
    result: {
      checked_at: at,
      counts: { refused: 0, succeeded: 0, not_applicable: 0, error: 0 },
      results: [],
    },
  },
  'mail.apply': {
    params: { relay: null, password_sealed: '', ...domain },
    result: { relay: false },
  },
  'mail.check': { params: domain, result: { answer: 'own' } },
  'pool.apply': {
    params: { user: 'own', php_version: '8.4', tier: 'small' },
    result: { tier: 'small' },
  },
  'server.provision': { params: { php_versions: [] }, result: { php_versions: ['8.4'] } },
  'server.update': {
    params: { scope: 'all' },
    result: { packages: ['own'], restarted: ['own'], reboot_needed: false },
  },
  'service.restart': { params: { service: 'nginx' }, result: { service: 'nginx' } },
  'site.access': {
    params: { ...domain, grants: [], clients: [] },
    result: { ...domain, ...access },
  },
  'site.catch-up': { params: domain, result: { ...domain, at, tables: 1 } },
  'site.clone': {
    params: { ...domain, from: { kind: 'site', domain: DOMAIN } },
    result: { ...domain, at, files: 1, bytes: 1, tables: 1, addresses, settings },
  },
  'site.compare': {
    params: { ...domain, from: DOMAIN },
    result: {
      ...{ ...domain, from: DOMAIN, tables: [] },
      files: {
        added: { count: 0, examples: [] },
        changed: { count: 0, examples: [] },
        removed: { count: 0, examples: [] },
        live_changed: { count: 0, examples: [] },
        live_known: true,
      },
    },
  },
  'site.configure': { params: { ...domain, xmlrpc: 'on' }, result: settings },
  'site.create': simple,
  'site.delete': { params: domain, result: { ...domain, size: 1 } },
  'site.domains': { params: { ...domain, ...names }, result: { ...domain, ...names } },
  'site.gather': {
    params: domain,
    result: {
      ...domain,
      gathered: {
        ...{ at, files: { snapshot: SNAPSHOT, count: 1, bytes: 1 } },
        database: null,
      },
    },
  },
  'site.job-run': {
    params: { ...domain, name: 'nightly' },
    result: { ...domain, name: 'nightly', seconds: 1 },
  },
  'site.jobs': { params: { ...domain, jobs: [job] }, result: { ...domain, jobs: [job] } },
  'site.object-cache': { params: { ...domain, memory: 64 }, result: { ...domain, memory: 64 } },
  'site.purge': { params: { ...domain, confirm: DOMAIN, trashed_days: 0 }, result: domain },
  'site.push': {
    params: { ...domain, from: DOMAIN, files: true, tables: [] },
    result: { ...domain, ...replaced },
  },
  'site.receive': { params: domain, result: { ...domain, certificate: '' } },
  'site.recover': {
    params: { ...domain, from: { kind: 'backup' } },
    result: { ...domain, at, files: 1, bytes: 1, tables: 1, addresses, settings },
  },
  'site.refresh': { params: domain, result: { ...domain, ...replaced } },
  'site.rename': {
    params: { ...domain, primary: 'new.example', former: 'redirect' },
    result: { domain: 'new.example', former: DOMAIN, ...names, addresses },
  },
  'site.rename-preview': {
    params: { ...domain, primary: 'new.example' },
    result: {
      ...{ ...domain, primary: 'new.example', rows: 0, tables: [], files: [] },
      ...{ ...addresses, files_omitted: 0, multisite: false },
    },
  },
  'site.restore': simple,
  'site.resume': simple,
  'site.scan': {
    params: domain,
    result: {
      ...{ wp_version: '6.9', plugins: [], themes: [], core_update: null },
      updates: { plugins: 0, themes: 0, core: false },
    },
  },
  'site.suspend': simple,
  'site.switch': { params: domain, result: { ...domain, certificate: '' } },
  'site.update': {
    params: { ...domain, php: '8.4', tier: 'small' },
    result: { ...domain, php: '8.4', tier: 'small', database_routines: false, xmlrpc: true },
  },
  'staging.password': { params: { ...domain, password_sealed: 'sealed' }, result: domain },
  'tls.issue': {
    params: { ...domain, tls: 'none' },
    result: { ...domain, tls: 'none', expires_at: '' },
  },
  'updates.configure': {
    params: { unattended: true },
    result: { unattended: { enabled: true, wanted: true, source: 'hosting-control', detail: '' } },
  },
  'wp.cache-flush': simple,
  'wp.cron-run': { params: domain, result: { ...domain, events: 1 } },
  'wp.debug': { params: { ...domain, until: at }, result: { ...domain, until: at } },
  'wp.login': {
    params: domain,
    result: { ...domain, user: 'own', url: 'https://own.example/' },
  },
}
