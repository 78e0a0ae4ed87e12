import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './dashboard/db/schema.ts',
  out: './dashboard/db/migrations',
})
