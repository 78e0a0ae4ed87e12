import { tlsIssue } from '../commands/tls.issue.ts'
import { TlsMode } from '../fields.ts'
import { bulkParams, completesWith, operationType } from '../operation-type.ts'

export const tlsIssueType = operationType({
  name: 'Change certificate',
  title: 'Change the certificate of',
  target: 'site',
  path: '/exec',
  right: 'operate',
  params: tlsIssue.params.pick({ tls: true }),
  outcome: completesWith(tlsIssue.result),
  bulk: {
    title: 'Change certificate of',
    params: bulkParams({ tls: TlsMode }),
    words: { tls: 'certificate' },
  },
})
