import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { useMay } from './rights.tsx'

interface RecordLinkProps<I> {
  id: I
  className?: string
  'aria-label'?: string
  children: ReactNode
}

interface SiteLinkProps extends RecordLinkProps<number> {
  /** The server of a site that the user may be unable to see, such as a copy of the shown one. */
  server_id?: number
}

/** Shows a link to a site, or only its name to somebody who may not see it. */
export function SiteLink({ id, server_id, ...rest }: SiteLinkProps) {
  const may = useMay()
  if (server_id !== undefined && !may('read', { server_id, site_id: id })) return <Name {...rest} />
  return <Link to="/sites/$site_id" params={{ site_id: String(id) }} {...rest} />
}

/** Shows a link to a server, or only its name to somebody who may not see it. */
export function ServerLink({ id, ...rest }: RecordLinkProps<number>) {
  const may = useMay()
  if (!may('read', { server_id: id })) return <Name {...rest} />
  return <Link to="/servers/$server_id" params={{ server_id: String(id) }} {...rest} />
}

/** Shows a link to a person, or only the name to somebody who may not see the people. */
export function PersonLink({ id, ...rest }: RecordLinkProps<number>) {
  const may = useMay()
  if (!may('read', 'fleet')) return <Name {...rest} />
  return <Link to="/people/$person_id" params={{ person_id: String(id) }} {...rest} />
}

const Name = ({ className, children }: Omit<RecordLinkProps<number>, 'id'>) => (
  <span className={cx(className, 'text-inherit! no-underline!')}>{children}</span>
)

export const BulkLink = ({ id, ...rest }: RecordLinkProps<string>) => (
  <Link to="/operations/bulk/$bulk_id" params={{ bulk_id: id }} {...rest} />
)

export const OperationLink = ({ id, ...rest }: RecordLinkProps<string>) => (
  <Link to="/operations/$operation_id" params={{ operation_id: id }} {...rest} />
)

/** Opens the page of an operation. */
export function useOpenOperation() {
  const navigate = useNavigate()
  return (operation_id: string) =>
    navigate({ to: '/operations/$operation_id', params: { operation_id } })
}

/** Opens the page of a bulk operation. */
export function useOpenBulk() {
  const navigate = useNavigate()
  return (bulk_id: string) => navigate({ to: '/operations/bulk/$bulk_id', params: { bulk_id } })
}

const LISTS = {
  '/servers': 'Servers',
  '/sites': 'Sites',
  '/operations': 'Operations',
  '/people': 'People',
} as const

/** The breadcrumb of a page below one of these lists. */
export const ListLink = ({ to }: { to: keyof typeof LISTS }) => (
  <Link to={to} className="hover:underline">
    {LISTS[to]}
  </Link>
)
