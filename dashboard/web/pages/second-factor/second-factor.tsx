import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { secondFactorQuery } from '#dashboard/web/api/passkeys.ts'
import { rightsQuery, signOut } from '#dashboard/web/api/session.ts'
import { Passkeys } from '#dashboard/web/pages/account/passkeys.tsx'
import { TwoFactor } from '#dashboard/web/pages/account/two-factor.tsx'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { Mark } from '#dashboard/web/ui/brand/mark.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'

/** Sets up the first second factor of an account that needs one before it can do anything else. */
export function SecondFactorPage() {
  const { data } = useQuery(secondFactorQuery)
  const navigate = useNavigate()
  const client = useQueryClient()
  useEffect(() => {
    document.title = 'Set up a second factor · Hosting Control'
  }, [])
  const proceed = async () => {
    client.removeQueries({ queryKey: rightsQuery.queryKey })
    await navigate({ to: '/', replace: true })
  }
  const leave = async () => {
    await signOut()
    await navigate({ to: '/login' })
    client.clear()
  }
  return (
    <main className="mx-auto flex w-full max-w-3xl flex-col gap-6 p-4 py-8 sm:p-6">
      <p className="self-center text-lg">
        <Mark />
      </p>
      <h1 className="text-xl font-semibold tracking-tight">Set up a second factor</h1>
      {data?.present ? (
        <Notice
          kind="info"
          title="Your account has a second factor"
          actions={
            <Button kind="primary" onClick={proceed}>
              Continue to the dashboard
            </Button>
          }
        />
      ) : (
        <p className="max-w-prose text-muted">
          Your account needs a second factor before you can use this dashboard. Set up one of these:
          a passkey is the quicker way to sign in, an authenticator app works on every device.
        </p>
      )}
      <Passkeys />
      <TwoFactor />
      <p className="self-center">
        <ActionButton kind="quiet" call={leave}>
          Sign out
        </ActionButton>
      </p>
    </main>
  )
}
