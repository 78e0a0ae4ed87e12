import { Compass, Lock } from 'lucide-react'
import { ButtonLink } from './button.tsx'
import { Page } from './page.tsx'
import { Empty } from './states.tsx'

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty
        icon={<Compass />}
        title="There is no page at this address"
        action={
          <ButtonLink to="/" kind="primary">
            Go to overview
          </ButtonLink>
        }
      >
        The address may be wrong, or what it led to has been deleted.
      </Empty>
    </Page>
  )
}

/** Shown for an object that does not exist any more, or that the user may not see. */
export function NoAccess({ to }: { to: 'server' | 'site' | 'operation' | 'bulk operation' }) {
  return (
    <Page title={`No access to this ${to}`}>
      <Empty
        icon={<Lock />}
        title={`You have no access to this ${to}`}
        action={
          <ButtonLink to="/" kind="primary">
            Go to overview
          </ButtonLink>
        }
      >
        It does not exist any more, or your account has no access to it. An owner of this dashboard
        can give it to you.
      </Empty>
    </Page>
  )
}
