import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: [
    'schema',
    'trust-schema',
    'mail-schema',
    'web-schema',
    'steps-schema',
    'backup-schema',
  ].map((name) => `./dashboard/db/${name}.ts`),
  out: './dashboard/db/migrations',
})
