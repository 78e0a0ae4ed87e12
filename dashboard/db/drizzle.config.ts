import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: ['./dashboard/db/schema.ts', './dashboard/db/trust-schema.ts'],
  out: './dashboard/db/migrations',
})
