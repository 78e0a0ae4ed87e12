import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: [
    'schema',
    'auth-schema',
    'trust-schema',
    'mail-schema',
    'web-schema',
    'steps-schema',
    'backup-schema',
    'repositories-schema',
    'copies-schema',
    'settings-schema',
    'domains-schema',
    'moves-schema',
    'jobs-schema',
    'access-schema',
    'identity-schema',
    'numbers-schema',
    'dns-schema',
    'leases-schema',
    'alerts-schema',
    'lost-schema',
    'record-schema',
  ].map((name) => `./dashboard/kernel/db/${name}.ts`),
  out: './dashboard/kernel/db/migrations',
})
