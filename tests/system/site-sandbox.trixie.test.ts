// tier: gate
import { siteSandbox } from '#tests/support/system/site-sandbox.ts'

siteSandbox('trixie')
