import { useQuery } from '@tanstack/react-query'
import { CircleUser, LogOut } from 'lucide-react'
import { Suspense, useState } from 'react'
import { meQuery } from '#dashboard/web/api/session.ts'
import { ButtonLink, IconButton } from '#dashboard/web/ui/button.tsx'
import { lazyDialog } from './lazy-page.ts'

/** Loaded on demand: no page needs the dialog. */
const SignOut = lazyDialog(async () => (await import('./sign-out.tsx')).SignOut)

/** The signed-in user, their account, and sign-out. */
export function AccountLinks() {
  const { data: user } = useQuery(meQuery)
  const [isOpen, setOpen] = useState<boolean>()
  return (
    <>
      <ButtonLink
        to="/account"
        kind="quiet"
        aria-label={`Account of ${user?.email ?? ''}`}
        icon={<CircleUser />}
      >
        <span className="hidden max-w-48 truncate md:inline">{user?.email}</span>
      </ButtonLink>
      <IconButton name="Sign out" icon={<LogOut />} onClick={() => setOpen(true)} />
      {isOpen !== undefined && (
        <Suspense>
          <SignOut open={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
