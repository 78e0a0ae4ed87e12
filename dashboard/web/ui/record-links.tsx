import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'

interface RecordLinkProps<I> {
  id: I
  className?: string
  'aria-label'?: string
  children: ReactNode
}

export const SiteLink = ({ id, ...rest }: RecordLinkProps<number>) => (
  <Link to="/sites/$site_id" params={{ site_id: String(id) }} {...rest} />
)

export const ServerLink = ({ id, ...rest }: RecordLinkProps<number>) => (
  <Link to="/servers/$server_id" params={{ server_id: String(id) }} {...rest} />
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

const LISTS = { '/servers': 'Servers', '/sites': 'Sites', '/operations': 'Operations' } as const

/** The breadcrumb of a page below one of these lists. */
export const ListLink = ({ to }: { to: keyof typeof LISTS }) => (
  <Link to={to} className="hover:underline">
    {LISTS[to]}
  </Link>
)
