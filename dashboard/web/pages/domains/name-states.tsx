import { Copy } from '#dashboard/web/ui/copy.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { DomainStates, NameState } from '#shared/domains/name-states.ts'

type Tone = NonNullable<Parameters<typeof Badge>[0]['tone']>
interface Look {
  tone: Tone
  text: string
}

const DNS: Record<NameState['dns'], Look> = {
  here: { tone: 'good', text: 'points here' },
  both: { tone: 'warn', text: 'points here and elsewhere' },
  elsewhere: { tone: 'bad', text: 'points elsewhere' },
  cdn: { tone: 'good', text: 'behind' },
  none: { tone: 'bad', text: 'no record' },
  unknown: { tone: 'plain', text: 'unknown' },
}

const CERTIFICATE: Record<NameState['certificate']['state'], Look> = {
  none: { tone: 'plain', text: 'none' },
  waiting: { tone: 'warn', text: 'waiting' },
  checking: { tone: 'busy', text: 'checking' },
  issuing: { tone: 'busy', text: 'issuing' },
  active: { tone: 'good', text: 'active' },
  renewing: { tone: 'good', text: 'renewing' },
  expired: { tone: 'bad', text: 'expired' },
  blocked: { tone: 'bad', text: 'blocked' },
}

interface StateProps {
  /** The state of the name; undefined until it is known. */
  of: NameState | undefined
}

/** Where the records of a name lead, and the records. */
export function DnsState({ of }: StateProps) {
  if (!of) return <span className="text-muted">–</span>
  const { tone, text } = DNS[of.dns]
  return (
    <>
      <Badge tone={tone}>{of.cdn === null ? text : `${text} ${of.cdn}`}</Badge>
      {of.records.length > 0 && (
        <p className="mt-1 text-xs break-all text-muted">{of.records.join(', ')}</p>
      )}
    </>
  )
}

/** Whether the certificate has a name; if not, why, and when it is tried again. */
export function CertificateState({ of }: StateProps) {
  if (!of) return <span className="text-muted">–</span>
  const { state, reason, next_at } = of.certificate
  const { tone, text } = CERTIFICATE[state]
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      {reason !== '' && <p className="mt-1 max-w-prose text-xs text-muted">{reason}</p>}
      {next_at !== null && (
        <p className="mt-1 text-xs text-muted">
          Next attempt <Time at={next_at} />
        </p>
      )}
    </>
  )
}

/** What the records of all names should be. */
export function Expected({ states: { expected, names } }: { states: DomainStates }) {
  if (expected.length === 0 || names.every(({ dns }) => dns === 'here' || dns === 'cdn'))
    return null
  return (
    <p className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-3 text-xs text-muted">
      Point the A and AAAA records of each name to
      {expected.map((address) => (
        <span key={address} className="inline-flex items-center gap-1">
          <code>{address}</code>
          <Copy text={address} what={address} />
        </span>
      ))}
    </p>
  )
}
