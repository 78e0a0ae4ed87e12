import { formatCount, formatNumber } from '#dashboard/web/ui/format.ts'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { AddressReport } from '#shared/copies/copy-source.ts'

/** Why an old address was not changed, by the code of the agent. */
const REASONS: Record<string, string> = {
  skipped: 'the column is left as it is',
  base64: 'inside Base64',
  too_large: 'the value is too large',
  not_data: 'outside the rows of a table',
  email: 'part of an e-mail address',
  subdomain: 'part of a subdomain',
  port: 'with a port',
  other: 'in another spelling',
  damaged: 'in a serialised value with a wrong length',
  opaque: 'in the own format of a PHP class',
  nested: 'nested too deeply',
}

/** What happened to the addresses of the original in the database of a copy. */
export function Addresses({ result }: { result: Record<string, unknown> }) {
  const { data } = AddressReport.safeParse(result.addresses)
  if (!data) return null
  const changed = `${formatCount(data.replaced, 'address', 'addresses')} changed`
  if (data.left.length === 0) return <Notice kind="info" title={`${changed}; none left`} />
  return <LeftAddresses left={data.left} before={`${changed}; `} />
}

interface LeftProps {
  left: AddressReport['left']
  before?: string
}

/** The old addresses that stay, and why. */
export function LeftAddresses({ left, before = '' }: LeftProps) {
  const count = left.reduce((sum, { count }) => sum + count, 0)
  return (
    <Notice
      kind="warn"
      title={
        before === ''
          ? `${formatCount(count, 'address', 'addresses')} would stay`
          : `${before}${formatNumber(count)} left`
      }
    >
      <details>
        <summary className="cursor-pointer">Show what still has the old address</summary>
        <ul className="mt-1 flex flex-col gap-1">
          {left.map(({ table, column, reason, count, examples }) => (
            <li key={`${table} ${column} ${reason}`}>
              {table !== '' && (
                <code className="text-xs">
                  {table}.{column}
                </code>
              )}{' '}
              {formatNumber(count)}, {REASONS[reason] ?? reason}
              {examples.map((example) => (
                <code key={example} className="block text-xs break-all text-muted">
                  {example}
                </code>
              ))}
            </li>
          ))}
        </ul>
      </details>
    </Notice>
  )
}
