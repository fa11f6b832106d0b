export const gauge = (share: number): string => "#".repeat(Math.round(share * 10));
