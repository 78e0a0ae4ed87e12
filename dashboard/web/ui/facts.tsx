import { Fragment, type ReactNode } from 'react'

/** Names and values in two columns. */
export function Facts({ of }: { of: Record<string, ReactNode> }) {
  return (
    <dl className="grid grid-cols-[minmax(7rem,auto)_1fr] gap-x-6 gap-y-2.5">
      {Object.entries(of).map(([name, value]) => (
        <Fragment key={name}>
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}
