// tier: core
import { hasDatabase } from '#tests/support/system/everyday/site-database.ts'

hasDatabase('bookworm')
