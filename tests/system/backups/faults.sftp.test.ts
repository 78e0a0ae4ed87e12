// tier: full, interrupts
import { describeFaults } from '#tests/system/backups/faults/suite.ts'

describeFaults('sftp', 'a storage that is an SFTP account')
