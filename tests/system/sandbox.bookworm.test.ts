// tier: gate
import { sandboxed } from '#tests/support/system/sandbox.ts'

sandboxed('bookworm')
