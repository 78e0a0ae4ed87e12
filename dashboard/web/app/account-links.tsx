import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CircleUser, LogOut } from 'lucide-react'
import { messageOf } from '../api/client.ts'
import { meQuery, signOut } from '../api/session.ts'
import { ButtonLink, IconButton } from '../ui/button.tsx'
import { tell } from '../ui/toasts.tsx'

/** Who is signed in, their account, and the way out. */
export function AccountLinks() {
  const { data: user } = useQuery(meQuery)
  const navigate = useNavigate()
  const client = useQueryClient()
  const leave = useMutation({
    mutationFn: signOut,
    onSuccess: async () => {
      await navigate({ to: '/login' })
      client.clear()
    },
    onError: (error) => tell(messageOf(error), { error: true }),
  })
  return (
    <>
      <ButtonLink
        to="/account"
        kind="quiet"
        aria-label={`Account of ${user?.email ?? ''}`}
        icon={<CircleUser aria-hidden />}
      >
        <span className="hidden max-w-48 truncate md:inline">{user?.email}</span>
      </ButtonLink>
      <IconButton
        name="Sign out"
        icon={<LogOut aria-hidden />}
        busy={leave.isPending}
        onClick={() => leave.mutate()}
      />
    </>
  )
}
