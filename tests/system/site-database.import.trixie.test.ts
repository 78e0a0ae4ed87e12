// tier: gate
import { importsDatabase } from '#tests/support/system/everyday/database-import.ts'

importsDatabase('trixie')
