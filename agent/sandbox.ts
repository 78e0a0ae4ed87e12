/** Its members may talk to the half of the agent that works: the other half, and nobody else. */
export const GROUP = 'hosting-agent'
