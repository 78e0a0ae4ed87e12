// tier: gate
import { keepsCertificates } from '#tests/support/system/everyday/certificates.ts'

keepsCertificates('bookworm')
