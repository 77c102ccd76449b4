"""Lemmas, in the language of Coq, that the files of `coq` stand on: one for each rule of a proof.

Each text is put into a file only where it is needed; all but `SUMS` follow `BASE`.
"""

__all__ = ["BASE", "CROSSINGS", "LIMITS", "SUMS", "WHOLE"]

BASE = r"""
(* x is a / b, and b is not zero. *)
Definition ratio (x a b : R) : Prop := b <> 0 /\ x = a / b.

Ltac sign :=
  first
    [ assumption
    | apply Rlt_le; assumption
    | lazymatch goal with
      | |- 0 < _ + _ => apply Rplus_lt_le_0_compat; sign
      | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; sign
      | |- 0 < _ * _ => apply Rmult_lt_0_compat; sign
      | |- 0 <= _ * _ => apply Rmult_le_pos; sign
      | |- 0 < _ ^ _ => apply pow_lt; sign
      | |- 0 <= _ ^ _ => apply pow_le; sign
      end
    | lra ].
Ltac nonzero := repeat split; first [ assumption | apply Rgt_not_eq; unfold Rgt; sign ].

Lemma nonzero_mul a b : a <> 0 -> b <> 0 -> a * b <> 0.
Proof. intros; apply Rmult_integral_contrapositive; now split. Qed.
Lemma at_most a b c : 0 <= c -> b - a = c -> a <= b.
Proof. intros; lra. Qed.
Lemma ratio_change x a b c d : ratio x a b -> a = c -> b = d -> ratio x c d.
Proof. intros h e f; rewrite <- e, <- f; exact h. Qed.
Lemma ratio_whole x a : x = a -> ratio x a 1.
Proof. intro h; split; [ lra | rewrite h; field ]. Qed.
Lemma ratio_over x a b : b <> 0 -> x * b = a -> ratio x a b.
Proof. intros h e; split; [ exact h | rewrite <- e; field; exact h ]. Qed.
Lemma ratio_mul x y a b c d : ratio x a b -> ratio y c d -> ratio (x * y) (a * c) (b * d).
Proof. intros [h e] [k f]; split; [ now apply nonzero_mul | rewrite e, f; field; now split ]. Qed.
Lemma ratio_div x y a b c d : ratio x a b -> ratio y c d -> 0 < c -> ratio (x / y) (a * d) (b * c).
Proof.
  intros [h e] [k f] p; assert (c <> 0) by nonzero; split.
  - now apply nonzero_mul.
  - rewrite e, f; field; now repeat split.
Qed.
Lemma ratio_add x y a b c d : ratio x a b -> ratio y c d -> ratio (x + y) (a * d + c * b) (b * d).
Proof. intros [h e] [k f]; split; [ now apply nonzero_mul | rewrite e, f; field; now split ]. Qed.
Lemma ratio_sub x y a b c d : ratio x a b -> ratio y c d -> ratio (x - y) (a * d - c * b) (b * d).
Proof. intros [h e] [k f]; split; [ now apply nonzero_mul | rewrite e, f; field; now split ]. Qed.
Lemma ratio_add_same x y a b c : ratio x a b -> ratio y c b -> ratio (x + y) (a + c) b.
Proof. intros [h e] [_ f]; split; [ exact h | rewrite e, f; field; exact h ]. Qed.
Lemma ratio_sub_same x y a b c : ratio x a b -> ratio y c b -> ratio (x - y) (a - c) b.
Proof. intros [h e] [_ f]; split; [ exact h | rewrite e, f; field; exact h ]. Qed.
Lemma ratio_cancel x a b c : ratio x (a * c) (b * c) -> ratio x a b.
Proof.
  intros [h e]; assert (b <> 0) by (intro z; apply h; rewrite z; ring).
  assert (c <> 0) by (intro z; apply h; rewrite z; ring).
  split; [ assumption | rewrite e; field; now split ].
Qed.
Lemma ratio_same x y a b : ratio x a b -> ratio y a b -> x = y.
Proof. intros [_ e] [_ f]; now rewrite e, f. Qed.
Lemma ratio_pos x a b : ratio x a b -> 0 < a -> 0 < b -> 0 < x.
Proof. intros [_ e] p q; rewrite e; now apply Rdiv_lt_0_compat. Qed.
Lemma ratio_nonneg x a b : ratio x a b -> 0 <= a -> 0 < b -> 0 <= x.
Proof. intros [_ e] p q; rewrite e; apply Rmult_le_pos; [ exact p | apply Rlt_le, Rinv_0_lt_compat, q ]. Qed.
Lemma ratio_less x y a b : ratio (y - x) a b -> 0 < a -> 0 < b -> x < y.
Proof. intros h p q; assert (0 < y - x) by (now apply (ratio_pos _ a b)); lra. Qed.
Lemma ratio_atmost x y a b : ratio (y - x) a b -> 0 <= a -> 0 < b -> x <= y.
Proof. intros h p q; assert (0 <= y - x) by (now apply (ratio_nonneg _ a b)); lra. Qed.
Lemma ratio_factor x s p q : ratio x (s * p) q -> 0 < p -> 0 < q -> exists t, 0 < t /\ x = s * t.
Proof.
  intros [h e] k l; exists (p / q); split; [ now apply Rdiv_lt_0_compat | rewrite e; field; exact h ].
Qed.
Lemma ratio_iff x s p q : ratio x (s * p) q -> 0 < p -> 0 < q -> (0 < x <-> 0 < s).
Proof. intros h k l; destruct (ratio_factor _ _ _ _ h k l) as [t [m e]]; rewrite e; split; intro; nra. Qed.
Lemma ratio_zero x s p q : ratio x (s * p) q -> s = 0 -> x = 0.
Proof. intros [h e] z; rewrite e, z; field; exact h. Qed.
Lemma ratio_neg x s p q : ratio x (s * p) q -> 0 < p -> 0 < q -> s < 0 -> x < 0.
Proof. intros h k l z; destruct (ratio_factor _ _ _ _ h k l) as [t [m e]]; rewrite e; nra. Qed.
"""
"""What is known of an expression is one ratio; with lemmas that add, divide and compare such ratios."""

WHOLE = r"""
(* x is a whole number. *)
Definition whole (x : R) : Prop := exists n : Z, x = IZR n.
Lemma whole_number n : whole (IZR n).
Proof. now exists n. Qed.
Lemma whole_add x y : whole x -> whole y -> whole (x + y).
Proof. intros [n e] [m f]; exists (n + m)%Z; now rewrite plus_IZR, e, f. Qed.
Lemma whole_sub x y : whole x -> whole y -> whole (x - y).
Proof. intros [n e] [m f]; exists (n - m)%Z; now rewrite minus_IZR, e, f. Qed.
Lemma whole_opp x : whole x -> whole (- x).
Proof. intros [n e]; exists (- n)%Z; now rewrite opp_IZR, e. Qed.
Lemma whole_mul x y : whole x -> whole y -> whole (x * y).
Proof. intros [n e] [m f]; exists (n * m)%Z; now rewrite mult_IZR, e, f. Qed.
Lemma whole_pow x n : whole x -> whole (x ^ n).
Proof. intro h; induction n as [| n k]; [ apply whole_number | now apply whole_mul ]. Qed.
Lemma whole_least x : whole x -> 0 < x -> 1 <= x.
Proof. intros [n e] p; rewrite e in *; apply IZR_le, Zlt_le_succ with (n := 0%Z), lt_IZR, p. Qed.
Ltac wholes :=
  repeat first
    [ assumption | apply whole_add | apply whole_sub | apply whole_mul | apply whole_opp | apply whole_pow
    | apply whole_number ].
"""
"""A whole number above 0 is at least 1."""

LIMITS = r"""
(* f comes as near to l as one likes, for all numbers that are large enough. *)
Definition tends (f : R -> R) (l : R) : Prop :=
  forall eps, 0 < eps -> exists M, forall x, M < x -> Rabs (f x - l) < eps.
Lemma tends_const c : tends (fun _ => c) c.
Proof. intros eps p; exists 0; intros x _; rewrite Rminus_diag_eq, Rabs_R0; [ exact p | reflexivity ]. Qed.
Lemma tends_vanish c k : tends (fun x => c * (/ x) ^ S k) 0.
Proof.
  intros eps p; exists (Rabs c / eps + 1); intros x m.
  assert (q : 0 <= Rabs c / eps).
  { apply Rmult_le_pos; [ apply Rabs_pos | apply Rlt_le, Rinv_0_lt_compat, p ]. }
  assert (u : 0 < / x) by (apply Rinv_0_lt_compat; lra).
  assert (v : / x <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (w : 0 <= (/ x) ^ k <= 1).
  { split; [ apply pow_le; lra |]. rewrite <- (pow1 k); apply pow_incr; lra. }
  rewrite Rminus_0_r, Rabs_mult, (Rabs_right ((/ x) ^ S k)) by (apply Rle_ge, pow_le; lra).
  assert (z : Rabs c * / x < eps).
  { apply (Rmult_lt_reg_r x); [ lra |]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    replace (Rabs c) with (Rabs c / eps * eps) by (field; lra). rewrite (Rmult_comm eps x).
    apply Rmult_lt_compat_r; lra. }
  apply Rle_lt_trans with (Rabs c * / x); [| exact z ].
  apply Rmult_le_compat_l; [ apply Rabs_pos |]. change (/ x * (/ x) ^ k <= / x); nra.
Qed.
Lemma tends_plus f g l m : tends f l -> tends g m -> tends (fun x => f x + g x) (l + m).
Proof.
  intros h k eps p; destruct (h (eps / 2)) as [M i]; [ lra |]; destruct (k (eps / 2)) as [N j]; [ lra |].
  exists (Rmax M N); intros x y; replace (f x + g x - (l + m)) with ((f x - l) + (g x - m)) by ring.
  pose proof (Rmax_l M N); pose proof (Rmax_r M N).
  specialize (i x ltac:(lra)); specialize (j x ltac:(lra)).
  pose proof (Rabs_triang (f x - l) (g x - m)); lra.
Qed.
Lemma tends_more f l c k : tends f l -> tends (fun x => f x + c * (/ x) ^ S k) l.
Proof. intro h; rewrite <- (Rplus_0_r l); apply (tends_plus f); [ exact h | apply tends_vanish ]. Qed.
Lemma tends_eventually s f g l : (forall x, s < x -> f x = g x) -> tends g l -> tends f l.
Proof.
  intros h k eps p; destruct (k eps p) as [M i]; exists (Rmax M s); intros x y.
  pose proof (Rmax_l M s); pose proof (Rmax_r M s); rewrite h by lra; apply i; lra.
Qed.
(* |a/b - l/m| = |m (a - l) - l (b - m)| / (|b| |m|), and b is at least half of m. *)
Lemma tends_div f g l m : 0 < m -> tends f l -> tends g m -> tends (fun x => f x / g x) (l / m).
Proof.
  intros p h k eps q.
  set (d := eps * m * m / (2 * (m + Rabs l))).
  pose proof (Rabs_pos l) as u.
  assert (v : 0 < m + Rabs l) by lra.
  assert (w : 0 < d) by (apply Rdiv_lt_0_compat; [ repeat apply Rmult_lt_0_compat; lra | lra ]).
  destruct (h d w) as [M i]; destruct (k d w) as [N j]; destruct (k (m / 2)) as [O t]; [ lra |].
  exists (Rmax M (Rmax N O)); intros x y.
  pose proof (Rmax_l M (Rmax N O)); pose proof (Rmax_r M (Rmax N O)).
  pose proof (Rmax_l N O); pose proof (Rmax_r N O).
  specialize (i x ltac:(lra)); specialize (j x ltac:(lra)); specialize (t x ltac:(lra)).
  apply Rabs_def2 in t; assert (z : m / 2 < g x) by lra.
  replace (f x / g x - l / m) with ((m * (f x - l) - l * (g x - m)) / (g x * m)) by (field; lra).
  assert (r : 0 < g x * m) by (apply Rmult_lt_0_compat; lra).
  unfold Rdiv; rewrite Rabs_mult, (Rabs_right (/ (g x * m))) by (apply Rle_ge, Rlt_le, Rinv_0_lt_compat, r).
  apply (Rmult_lt_reg_r (g x * m)); [ exact r |]; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  apply Rle_lt_trans with (m * Rabs (f x - l) + Rabs l * Rabs (g x - m)).
  { replace (m * (f x - l) - l * (g x - m)) with (m * (f x - l) + - (l * (g x - m))) by ring.
    apply Rle_trans with (1 := Rabs_triang _ _); rewrite Rabs_Ropp, !Rabs_mult, (Rabs_right m) by lra; lra. }
  apply Rlt_le_trans with ((m + Rabs l) * d).
  { assert (m * Rabs (f x - l) < m * d) by (apply Rmult_lt_compat_l; lra).
    assert (Rabs l * Rabs (g x - m) <= Rabs l * d) by (apply Rmult_le_compat_l; lra). lra. }
  replace ((m + Rabs l) * d) with (eps * (m / 2 * m)) by (unfold d; field; lra).
  apply Rmult_le_compat_l; [ lra |]; apply Rmult_le_compat_r; lra.
Qed.
Lemma ratio_scaled x a b c d t : ratio x a b -> t <> 0 -> a = c * t -> b = d * t -> x = c / d.
Proof.
  intros [h e] z f g; rewrite e, f, g; field; split; [| exact z ].
  intro n; apply h; rewrite g, n; ring.
Qed.
"""
"""Limits at infinity of ratios of polynomials."""

CROSSINGS = r"""
Lemma before_root u v s t : 0 < u * s - v * t -> 0 < s -> v = 0 -> 0 < u.
Proof. intros h p z; rewrite z in h; nra. Qed.
Lemma after_root u v s t : 0 < u * s - v * t -> 0 < t -> u = 0 -> v < 0.
Proof. intros h p z; rewrite z in h; nra. Qed.
Lemma root_exists f x : continuity f -> 0 < f 0 -> 0 < x -> f x < 0 -> exists r, 0 < r /\ f r = 0.
Proof.
  intros c p q n.
  destruct (IVT (fun y => - f y) 0 x) as [r [k z]]; [ now apply continuity_opp | exact q | lra | lra |].
  assert (e : f r = 0) by lra; exists r; split; [| exact e ].
  destruct (Req_dec r 0) as [i | i]; [ rewrite i in e; lra | lra ].
Qed.
"""
"""What has opposite signs at two places is zero between; what is zero once has one sign on each side."""

SUMS = r"""
(* f 0 + f 1 + ... + f (n - 1) *)
Fixpoint sum_below (n : nat) (f : nat -> R) : R := match n with O => 0 | S m => sum_below m f + f m end.
Lemma sum_ext n f g : (forall i, f i = g i) -> sum_below n f = sum_below n g.
Proof. intro h; induction n as [| n k]; simpl; [ reflexivity | now rewrite k, h ]. Qed.
Lemma sum_factor n c f : c * sum_below n f = sum_below n (fun i => c * f i).
Proof. induction n as [| n k]; simpl; [ ring | rewrite <- k; ring ]. Qed.
Lemma sum_add n f g : sum_below n (fun i => f i + g i) = sum_below n f + sum_below n g.
Proof. induction n as [| n k]; simpl; [ ring | rewrite k; ring ]. Qed.
Lemma sum_zero n : sum_below n (fun _ => 0) = 0.
Proof. induction n as [| n k]; simpl; [ reflexivity | rewrite k; ring ]. Qed.
Lemma sum_swap n m f :
  sum_below n (fun i => sum_below m (fun j => f i j)) = sum_below m (fun j => sum_below n (fun i => f i j)).
Proof.
  induction n as [| n k]; simpl; [ symmetry; apply sum_zero | rewrite k, <- sum_add; reflexivity ].
Qed.
"""
"""Finite sums: a factor goes into a sum, two sums change places."""
