# -*- coding: utf-8 -*-
#
# Heuristic for online-bin-packing-known-n (version 1): minimise bins.
# Found by the search: Gapsmith 0.2.0.dev0, run 20261128-030510-online-bin-packing-known-n-6192, candidate 290917497e982259.
# Sandbox: all layers on (rlimits, seccomp, landlock, namespaces, uid).
# best baseline fill-weighted-squares 0.85 % → champion 0.35 % on test: no difference beyond noise, pointing to the champion (5 better, 0 equal, 0 worse of 5 instances, p = 0.062).
#
# Optimality gap on the test split (5 instances; references: 5 optima):
#   mean of ratios 0.35 % [0.18, 0.57] (95 % interval over instances)
#   ratio of sums 0.35 %; equal to the reference on 0 of 5
#   start program, same instances: 4.86 % [4.50, 5.32]
#
# Check it again: gapsmith evaluate runs/20261128-030510-online-bin-packing-known-n-6192/campaign.toml champion.py --split test
# Use it: python champion.py, then a JSON line with capacity, items, then each revealed line; it answers line by line
#
# The task (the program checks no values: for others than these it may fail or answer wrongly):
#   Online one-dimensional bin packing. Items arrive one at a time; item sizes are integers from 1 to
#   capacity
#   and every bin holds items of total size at most capacity. The number of items is told at the start. For
#   each item `place` is called with
#   its size, `residuals` (free space of every bin opened so far, full ones included, in order of opening)
#   and
#   `gap_counts` (gap_counts[g] = number of opened bins with free space g, for g from 0 to capacity). Return
#   the
#   index of a bin with residuals[index] >= item, or len(residuals) to open a new bin. The decision is final;
#   both lists are copies, changing them changes nothing. The object may keep state of its own between calls.
#   Minimise the number of bins opened. Placing an item where it does not fit makes the whole run infeasible.
#   Gaps are measured against the offline optimum of the same items, a lower bound for any
#   online rule, which does not know what comes: 0 is not in general attainable.

"""Online bin packing with a known number of items: a learned value of the open bins.

The state is the number of open bins at each gap and the number of items to come. Its value, the bins that are
expected to be wasted in the end, is a sum over the gaps (what the first, second and third bin with this gap
costs, learned from paired rollouts for t items to come, t < T) and a function of the free space in all; an item
goes where the value grows least. With more items to come the value is a fill-weighted sum of squares plus what a
gap too small to be filled wastes. In the last TL items the best few choices are compared by rollouts with common
draws. The tables are of Weibull(3)*45 and capacity 100; anything else gets the fill-weighted sum of squares.
"""
import math
import numpy as np

KNOTS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50, 62, 78]
T = 98
T2 = 200
EARLY = [0.009521428571428571, 2.0, 1.5, 8.0, 0.8929, 1.0]
LATE = [0.02, 2.0, 1.0, 8.0, 1.0, 1.0]
TL, R, CAND, WIDTH, TAU, HOR = 97, 60, 4, 0.25, 0.05, 25
DEPTH = 24
TABLE = r"""
A^AbAjB$AyB7BFB@BcBqC2C-CYCZCTD.D,C~DSDXD:DvE)DjEAELE7EcEtEVF5FFEvFWFkF4G0G3FLG`GLFeH0G`F}H^G|G=I%HLG`IEHwH$IkI@H?J-IYHTJTInHgJtJ$H{K3J6I5KTJJINKzJcIkLKJ}J/LiK;JOM5K^JoMQK~K2MlL@KON(LZKfN9LsKxNTM.L0NmM@LCO&MSLXO=MlLqOTN)M1OhNEMMOwNbMlP.O$N,PKO@NIPgO^NiPxP$O.Q/PHOOQAPkOpQRQ-P0Q[QEPJQ^QPPaQUQNPsQ8Q?P}PgQ3Q+P=Q1Q7P+Q:QGP2QKQ[PDQ`QsP]QuR0PhR.RHPpRCRcPyRXR|Q%RmS:Q'S$SQPyS5SkPoSFT'PmSYT@PySpTZQ;T.TuQ`TJU5R%TkURRPU/UpS-USV3SpUzVRT^VDVrU=ViW5UlW1WSV8WRWrVeWtX5W2X8XRW]XYXpX.XzY3X_Y?YOY4YbYnYbZ&Z0Z0ZFZLZXZfZkZ}[)[+[A[F[G[`[d[e[~]$]%]>]@]@][]]]]]x]x]y^9^9^8^T^T^T^q^p^p_0_0_0_L_L_L_h_h_h`(`(`(`C`C`C
AYAYAnB(B(B=BWB]BhC*CBC9CVCkC`D@D?D0DeDWDbE/E,E3EYE]EbF(F1F-FYF[FQG)G)FsGUGNG4H'GmGIHVH1GaI$HVG{IOI,H;IyI[HUJ@J$HnJZJ;I(K'JMI>KEJ_IYKjJuIxL6K2J:L[KMJXLyKlJwM4L/K:MHLPKYM`LrKwMwM7L6N.MPLLNAMbLaNZMqLqNfM~M'NqN6M;O+NPMRODNlMnO`O-N0O}OMNPPHOpNrPmP4O6Q-PPOUQ;PqOwQIQ7P<QVQYPZQfQxPwQqR.Q2QqR0QCQSR#QKQ#QbQIPHQEQFOwQ5QDOgQ3QIOvQ;QSP.QGQcP=QWQvPGQiR0PSQ{RFPXR0R^P[RARuP]RTS/P[ReSEPeRsSZQ#S(SrQ<S:T-QUSQTFQuSlTcR0T/U#RPTPUBR{TuUdSQU?V(T.UhVJTeV4VmU;V[W3UiW&WUV:WKWwVhWpX;W7X8X[WgX^X}X>Y(YBXuYNYbYOYsZ&Z&Z<ZFZRZ_ZeZy[%[([>[C[E[^[b[d[{]#]$]:]?]@]V]Z]]]s]w]x^3^7^8^P^S^S^n^p^p_/_0_0_L_L_L_i_h_h`(`(`(`C`C`C
A[A]AlB<B4B@ByBlBnC?CGC@CaClCnD?DGD?DnD^DoE;E7ECEhEgErF7F>FFFrFqFrGBGGG6GnGvGQHBH=GjHrHZH)I<H|HLIfIJHqJ.IvI3JMJ@IOJwJ_IjKFJ{J'KfK9JBL$KUJ_LHKqJ|LeL0K;M+LJKVMGLgKrMZM)L4MlMELPN-McLjNHN$M&NVN:M;NcNOMPNqNeMeN~N|MzO(O7N6O<ORNQO[OlNoOtP(O1P/PDOPPOP]OoPyPuP4Q?Q;PTQ^QbPwQsR+Q;Q~RFQUQzRVQgQ`RRQpQ2R>QpP_QuQfP3QQQXOtQ;QOOtQ4QJO~Q7QLP$Q=QTO~QAQbP&QGQqP0QQR(P:QaR<PLQuRPPeR.RePyR@R{Q3RPS3QIR`SHQWRsS`QeS,SxQzSET6R7ScTRRUT&TrRuTGU7S;TmUYS`U7U}T.UaVET_V.VkU7VXW3UrW'WWVPWRW~W/W~XFWkXLXkXGXwY3X}YDYVYRYlYzZ$Z6Z?ZNZZZaZuZ}[%[=[A[D[^[`[b[|[~]#]<]>]@]V]Z][]q]w]x^1^6^8^M^Q^S^l^n^p_._/_0_J_K_L_h_h_h`(`(`(`E`D`C
AaAbAqB@B4BBBwBhBsC<CJCCCgCqCrD@DJDGDuDtD|EHEKEMEvEzF&FNFNFWF}G$G)GOGPGIH-G{GhHZHGH(I&HpHFIQI?HjJ&InI3JOJ=IWJuJcIxK;K&J;KZKAJYKxKZJvL/KpK5L@L,KOL]LGKkM*LgL)MFM)LEMXMBLbMcM[L}MwMxM:N1N;MSNDNWMjNTNoM~NhO'N8NrO;NNNxORNiO)OjO'O<P&ODOOP@OcOgPZP$P2PyPDPcQ<PfQ4QaQ+Q^R*QKQsRHQfQxRZQyQpR_R&QWRNR#Q,R2QvPUQfQhP$QCQXOcQ,QKO^P~QCOfQ#QAOnQ&QEOtQ(QMP&Q.QXPDQ:QhPiQKQyP}Q]R0Q3QnRDQGR#RXQ`R6RnQxRLS(R4ReS?RPS%SYRiSAStR|S^T4S7SzTRSMT:TsS`TZU7SqT{UYT,UCU~TQUjVHT}V7VoUPVcW:V-W5WcVmWdX.WSX7XVX7XgY#XrY8YJYKYcYpYzZ/Z8ZGZTZ]ZnZyZ}[5[>[B[V[^[`[w[}[~]:]>]>]W]Z][]u]w]x^5^6^8^Q^R^S^n^o^p_._/_0_J_K_L_h_g_h`(`(`(`E`D`D
AkAlArBOBKBDC*C#BwC@CNCICcCtD#DHDRDVD{DyE+ETEYE[F%F)F0FVFWF_G2G*G)GgG_GSH;H8H#HbHfHHI2I5HmI_IfI9J,J<IaJQJeJ)K#K*JJKGKGJkKbKcK-KxK|KIL3L8KbLNLNKxLqLiL4M7M'LNMUMDLlMhMbM-MxN(MNN3NKMoNJNhN,NUNyN>N^O+NPNjO:NbNmOONxNuOmO4O+P0OOO9PJOmOLP_P.OiPoPJP.Q'PkPRQFQ1PqQjQSQ/R2QrQKRTR.Q^RgR>QgRmR@QUR[R8Q#R8R&P<QfQmO]Q<QWOAP{QDOEPmQ9O[PmQ3OrPqQ5P+PwQ;PBQ%QEPXQ3QSPmQGQeQ%QYQwQ<QlR.QSQ~RBQlR4RXR*RJRpRBRcS+RWR}SDRqS<S`S3SXS|SMSvT<SfT7T[SzTTT{T0TqU@TBU4UcTXUUV,TuU{VQU<VHVzUkVuWGVIWIWtW2W|XBWyXRXnX`Y(Y<Y=YVYfYqZ'Z0ZBZOZVZlZuZz[5[;[?[W[][_[x[|[}];]=]>]X]Z][]v]x]x^5^7^8^R^S^S^n^o^p_._/_0_J_K_K_h_g_g`(`'`'`D`D`D
ApAvArBPBPBEC.BpBvCfCECJCvD%CzDKD[DVE*E&E-ESEfE]F&F>F4FVFsFgG2GCG8GjGsGeHAHCH4HpHkH]I@I6I'IoIeIMJ8J<IvJYJmJ@K%K;JeKQKaK-KuL$KNL,L9KjL9LML(LQLeLBLsM&L^M4MFL{MOMhM:MdN)MWMtNDMsN*N`N1N5NvNHN6O*N]N5O5NoN5O?O$NFOPO7NWOjONNiP+OjNyPHP*O<P_PFOaPtPeP&Q/Q)PHQMQLPcQrQoQ%R8R1Q<RXRIQJRmRTQQRmRSQCRVRFPyR2R2P=Q`QrO[Q5QUO>PtQ?ODPdQ.O_P_Q&OvPdQ&P,PkQ-PAPuQ9PaQ(QIP~Q=QYQ>QSQmQMQkR$Q_R$R8QrR9RNR,ROReRHRiR}RfS'S9S,SASSSLS]SoShSwT/S{T5TKT/TNTjTBTiU-TZU)UNTqUIUrU'UmV;U@V8VcUmVdW1VFW7W^W'WjX/WhXBX]XNXuY.Y0YKYYYiYzZ(Z?ZIZPZkZqZu[5[9[=[W[[[^[w[|[}]:]>]>]X]Z][]w]w]x^7^8^8^S^S^S^p^p^p_0_/_0_K_K_L_h_h_h`'`'`'`D`C`C
ArAzAtBTBKBIC8BqB{CmCLCSC}C~D*DWDTDfE6E%E4E]ElEkF+FKF;FaG+FoGCGWGBGuH$GqHHHIH@HwHxHmIIIOI<IrJ&IhJ6JVJ6JWK$J^JyKFK%KAKhKEKmL)KeL,LDL&LCL]LALXLyL]LoM;LyM(MZM9M:MyMUMEN8MrMQNPN2MbNiNJMqN|N`MvO*NqMwO0O$M|O7O3N/OEOENHO]O[NYO}OvN`P@P6NdPZPRNkPmPoO%P{Q/ONQ1QMP%QOQjPNQwR(PjR>R<PtRLRDPvRFRBPlR+R6PWQbQ~P.Q>QdO_P{QJOGPgQ5OPP_Q)OcP_Q#P(PeQ%PDPqQ.PZQ%Q;PqQ3QIQ2QEQZQNQWQlQlQmR#R*R&R6R@R>RJRXRVR`RqRpRwS1S,S4SOSESMSjS`SjT(S|T(T<T:TDTRTUTaTiTpU#T}U/UCU7UKUeUNUmV-UiV6VTV/V_V~VYW0WNW1WaW|WnX8XNXNXlX~Y.YBYOYgYsY|Z<ZDZJZjZnZq[5[7[9[Y[Z[[[y[{[|];]=]>]V]Z][]s]w]x^1^7^8^O^R^S^l^p^p_._/_0_J_K_L_h_g_g`(`'`'`D`C`C
AtA{ArBNBPBJC+BvB}CZCFCVD4D$D(DaDSDfE?E2E+EhEoEfF>FBF>FuF{FoGLGSGEGyH,GzHSHaHQH{I7I'ICIdIUIiJ3J$J3J]JMJTK*JrJwKNK9K=KmKXK^L1KwKzLNL8L.LiLSL8M'LqLLMAM2LdM]MOLuMzMlL}N8N*M$NPNBM8NlNWMVO%NkMiO3NzMjO;O,M^O=O9MZO?OIMcOMO_MqOhOxN*P(P9N?PDPXNPPVPwN^PgQ7O#PzQSOHQ9QjOmQXR#P2QrR0P;QzR7P<QrR2P6QZQ}P(Q?QfOfQ#QMOKPgQ9OJPUQ)OePPP{P*PXPxPIPkP{PcQ%Q*Q(Q;Q;QBQRQPQ_QlQfR$R*Q|R:R@R2RRRURDRmRkRXS-S#RmSGS5S%SXSFS<SkSYSST'SpSlTAT,T*TZTFTDToTaT`U'T{T}U:U7U>UGUPU^UTUlV$UjV1VHV&VVVqVFW%W@VsWSWnWOX*XAX5X^XqXwY5YDYWYiYsZ0Z<ZBZaZhZl[/[3[6[U[X[Y[x[z[z];]=]>]X]Z][]v]x]y^5^7^9^Q^S^S^n^p^p_._0_0_J_K_K_g_g_g`(`'`'`E`D`C
AvAzAtBOBVBMC+C/B}CiCMCWD4D-D+DiD_DlECE>E@ElEuEsFCFPFIF}G1G#GRGdGSH(H8H(H]HfHWI-I5I,IXI`IYIzJ/J*J;JZJTJZK&JyJuKLKAK7KqKcKQL8L%KgLVLDKoLmLcK|M)M$L8MDMBLKM^M`LZMxMzLaN2N7L_NJNMLgNeNcLtNyNuL}O'O%M+O-O/M,O0O;M=O4OIMSO;OXMfOEOmN$ORP&N?OhP<NTP$PVNiPBPsO'PeQ4OHQ+QPOkQIQjP7QaQ{PWQhR&PcQdR#PTQSQoP6Q;QWOmP{QAOXPeQ.O[PYP}OhP]PwP$PlPyP?Q%Q%P]Q;Q1Q#QPQAQEQfQUQjQxQmR.R2R(RFRHR<RXR]RORuRqRcS7S,RwS[SES1T$S[SGT?SqS_TQT(SvTaT<T2TqTRTJU'TkTdU?U(U#USUCU?UbU]U^UnUvU}UzV6VDV-VVViVHVzW7VmWIWcW@WxX4W{XNXeX]Y'Y8Y=YYYhYtZ/Z9ZIZ]ZeZ{[+[1[K[S[V[u[x[y];]<]>]Z][][]y]x]y^9^9^9^S^U^U^p^q^q_/_0_1_K_K_L_g_h_h`'`'`'`C`C`C
AuAzAtBJBTBJC%C+C$ChCTCVD/D)D0D[DgDpE7E5EEEpEpF#FIFKFZFyG'G5GQG[GfH'H3H9HVHcHhI)I7I9IRIiIhIoJ<J8J.JgJaJJK-K)JaKIKJJ{KhKjK?L,L,K[LLLJKmLlLiK|M.M,L2MLMKLDMiMjLQN*N+LXN@NDL[NPNYL_N^NkL_NfNwL^NtO$L_O$O+LbO#O3LpN|O;M+N|OCM?N~OOMYO(O`MpO9OsN%OMP,N0OjPFNFP2PcNcPTQ'O)PuQCOMQ0QYOnQ=QeP&QAQhP+Q:Q^OyQ*QMOjPsQ;OePaQ)OmPYPzP)P`PwPEPuP|PbQ5Q-P{QSQ>Q?QmQQQeR*QhR*R>Q~RLROR9RcR]RNRwRgR_S5RwRpSQS-S'ShSES;T%S`SQT>S}SiTVT<T$TnTRT<U%TjTTU6U#TmUMU9U+UeUNUDU|UfUaV4V#U~VFV=VBVVV[VgVmV}W1W+WGWYWLWtX+W|XFXYXXXxY-Y5YOY^YnZ%Z0ZHZUZ]Zy[%[+[I[O[Q[r[u[v]:]<]<]Z][][]z]z]z^:^:^:^U^U^U^r^r^r_1_1_1_L_L_L_h_i_i`'`'`'`C`C`C
AwA{AvBNBcBMC'C?C&ClC^C^D0D3D:DcDoDpEFE:EGExF(F,FNFaFeG+G5G@GbGbGrH,H6HCHTHiHpI&IAICIRItIrIvJFJCJ6JnJlJPK0K0JiKLKNK$KfKjK8L%L+KKLGLJKVLkLlKbM1M3KtMSMUL&MtMuL8N3N3LENINJLJNTNZLIN[NiLGN^NrLLNaNxLVNeN}LTNcO'LVNeO.L_NiO;LwNrOJM=N~O[M^O-OlMqO;O~MzOOP6N2OfPLNHP#PeNkP<P{O2PTQ3OUPeQ?OvPoQCP)PpQ<O~PkQ1OnPeQ'OcPbPzOqPePxP4PpP{PVQ)Q,P~QAQ<QGQWQPQcQjQeQ~Q~Q{RBR:R5R]RTRHRuRiRYS1RzRjSKS2R|SgSGS3S~S`SIT7SxS^THT2StT]THT/TqT_TFU.TwT_UEU3TwUaUHU3UtU^ULV(UpUfV:V(V&VLV@VCV^V]VeVnV}W-W(WEWTWGWnX$WtX?XQXMXpY$Y+YEYSYfYxZ'Z@ZMZTZsZ{[%[E[J[M[p[r[t]9]:]:]Z]Z]Z]{]z]z^;^;^;^W^W^V^s^t^s_2_2_2_L_L_M_i_i_i`'`'`'`B`B`B
A}A|AvB_BTBLC:C+C(CdC^C`D(D;D<DjDwE-EOEGEVF*F,F6FPFoFqG#GOGMGRG|H%H#HEHSHJHkH~HzI<IKIJIkItIkJ9J?J&J[JdJ4JwK)JHK2KGJ]KLKfJwKmL)K6L:LJKILcLmKVM.M4KYMQMVK^MnMtKeN)N1K`N4NDK[N5NQKgN4NZKzN.N_L2N)NbL>N+NgLIN2NmLSN;NuLcNGO$LzNWO1M8NjOBMSN~OSMjO7OhMxOLO|N.O_P7NFOpPLNcP$P_O'P6PgOKPGPiOePTPeOmPWP`OfPTP^ObPTPbOdPXPiO~PgPsPFP}Q%PkQ;Q9Q5QVQMQKQkQdQ`Q~QzQvR3R2R<RKRFR]RcRXR{RyRjS?S2R~S^SGS6SsSZSJT,SrS^T?T,SrTKTAT+TUTTT?TfTgTST{TyThU7U2T}UMUHU7UoUdUOV.U}UkVHV:V,V`VTVJVyVoViW2W.W/WCWMWUW^WrW}X(X?XLXVXmXzY.YAYMYdYsY|Z=ZGZNZpZwZz[C[E[H[m[o[p]7]8]8]Z]Z]Z]{]{]z^=^<^<^Y^X^W^t^t^t_3_3_3_N_N_N_i_i_i`(`(`(`B`B`B
B+B#AvBcBQBRC/C'C,CLC`ChD-D:DHDpDwE-EKEME^F&F4F6FPFoFnG'GIGGGTGxGzH&HHHNHNHsH|HtI?III6IfIqIVJ.J9ItJRJ]J/JtK$J:K8KEJIKVKeJZKyL)JuL@LLK.LcLrK9M%M8KEM=MWKOMSMqKQMeN(KLMkN3KBMfN:KGM^N>K^M^N@KlMcNCKxMlNHL)MvNOL8N'NYLNN3NgLoN?NvM0NPO*MGNeO:MUNwOMMkO/ObN)ODOxNDOWP0NaOkP@N~OxPJO<P$PNOKP*PNOZP4PNOeP?PROePKPXOfPXPeOuPkPuP>Q#Q-PkQ:QCQ7QXQ[QZQvQrQ|R2R*R>RHR<R]RaRNRsRzReS+S3R}SGSJS9SdSbSOSvSsSbT*T(SrT=T:T(TNTOT;T]TdTNTmTvTcU(U+TvUEU=U.UaUOUCUyUdUYV1UzUrVCV7V0VXVQVLVsVmVkW1W/W1WNWPWUWrWvW}X<XBXJXhXoXwY9YAYIYjYqYxZ=ZDZHZmZrZv[=[B[D[i[k[l]4]6]6]X]X]X]z]z]y^=^<^<^Y^Y^Y^v^v^u_4_4_4_N_N_N_j_j_j`)`)`)`B`B`B
B4B-AuBkBYBNC8C#C-CRCaCjD6D@DDDoE,DsEMEfEfF&F>F9FRFrFmG%GLGGGMG~G|GsHNHQH:HyI#HhIGILI2IoItIOJ8J<I^JXJ^IfJsJ}IqK-K?J(KEK`JBKhL%JeL3LJK#LYLpK,LyM4K)M7MRK1MMMjK3MXMzK.MQN'K+M>N)K2M/N'KGM,N$KUM/N#KfM7N&KqMBN/KtMPN<L%McNLLQMyN]LtN2NkM5NFNzMKN^O/M^NtODM}O/O[N?OEOpNUO[P$NqOqP0O-P%P<OCP0PFOUP<PRO[PDP[O^PGPbOrPNPiP2PdPuPMP}Q+PpQ=QAQ9Q^Q]Q^Q~QxR%R>R4RFR]RHRmR}R]S5S;RuSMSOS/S]S`SEShSpS^SqT#SrT%T0T(T5T>T8TFTNTGTWTbTXTmTvTkU'U0U#U;UEU9UUUYUOUvUpUfV9V*U}VRVBV9ViV[VRW#VuVpW9W5W3WPWTWUWnWxW|X7XBXIXcXmXuY4Y?YEYdYnYsZ8Z@ZDZhZnZq[9[=[@[d[h[j]/]2]4]T]V]V]x]x]y^;^;^;^Y^Y^Y^v^v^v_5_5_5_P_P_P_k_k_k`)`)`)`C`C`C
B0B(AvB^BKBOC/C+C0CgCdCoD:D@DMDjE%E*ETE[E`F,F>F9FZFyFqG'GSGLGUH'H$H'HOHSHFHwH~HbI@IKH{IdIqI4J)J6I@JFJTIGJcJqITJ{K2IiK6KOJ$KOKqJ;KmL8JNL4L[JXLTL}J]LkM?JcM#MWJgM.MiJpM/MtJvM)MvJ}M&MqK,L}MjK@L|MfKSL}MfKdM)MlKuM;MwL1MSN*LMMlN:LkN&NLL}N7NaM7NHNvMWNYO0MtNlOFN1O(OZNPOFOnNqOcP'O1OwP:OEP(PIOUP0PUO^P8P]O`P<PaOrPHPgP-P]PrPJPrQ*PqQ3QEQ?QRQbQlQuR#R2R:R>RJRZRXRhS#RsS-S?S/SISVSAS^SjSSSpSzSeS~T,SwT,T:T,T4TIT<TATXTLTWTjT_TmT{TsU(U5U+UBUJU?UYUaUUUrUxUkV*V0V&V>VEV>VZV]VXVtVvVuW2W5W7WLWSWWWkWwW}X4XBXGXaXlXsY3Y<YBYbYjYpZ6Z<Z@ZeZkZn[7[:[=[b[d[f].]0]1]T]T]U]v]w]w^;^;^;^Y^Y^Y^v^v^v_6_6_6_P_P_P_l_l_l`)`)`)`C`C`D
B:AyAtBqB<BRC/C#C1CbClCpD1D@DXDcDuE5E[E[EmF%F6FDFTFlFyG#G?GNGHGpH$GdHCHQH*HnH{HGI5IEH]IPIgHkImJ)HvJ,JDH~JDJ_I.JVJyI;JgK9IPJ}KVInKAKwJ+K`L:J9K~LWJ=L?LqJ>LTM+J;L_M:JELeMDJSLgMIJ_LdMKJoLZMHK%LVMEK9LXMDKKL`MIKbLlMSKsL|McL7M7MtLTMNN*L]MdN@LrM{NXM7N<NqMZNXO.MqNlODN$N}OXN6O1OlNZOIO|NyO]P,O-OiP4O8OvP>OIP#PHOjP.PXP1PEPoPUPmQ1P{Q:QWQ?QeR%QOR/RJQjRTReR8RwRtRXS4S%RrSFS4S,STSFS?ScS[SQStSpSdT,T'SlT:T5SxTDTBT*TNTPTBT_T^TZTsTmTtU'T}U4U9U7UOUKUMUlUdUfV)U~V#VBV9V<VVVPVVVgVkVrW#W,W5WAWMWVWhWsWzX6X?XFXdXkXqY5Y;Y@YeYjYmZ8Z;Z>ZfZiZk[6[8[:[a[b[d],].].]R]S]S]v]v]v^:^;^;^Y^Y^Y^v^v^v_6_6_6_Q_Q_P_l_l_l`+`+`+`D`D`D
AxAsAqBDB6BRB{B}C1CbChD'D2DRDXDbE%E/EEEGEcEuE|F:FEFVFmFcG-GCG$G]GtG:H*HDGOHNHlGfHpI3G|I.ISH.IGIoH6I^J+H@InJAHTI{JVHmJ,JmI$J;K(I4JJKAI@J]K^IOJyKxI^K<L6IhKWLLIpKoL]IyK|LkJ/L(LqJ8L)LtJ>L%LtJRK{LsJmKwLtK-K~LyK8L2M(KDLHM7KlLaMJL)LzMbL?M5MyLaMNN4LzMhNJM4N&NaMKN:NuMbNFO+MzNUO=N9NnOONRO)ObNhO;OqN~ODP%O3OUP7OKOjPNObP'PlP$PSQ3PHQ*QXPjQ_Q{Q-R,R<Q=RDRVQWR_RnR*RuS(RGS0S=RXSFSPR`SYSdRkSfStS#SnT%S;SuT0SST$T:SfT1TGT*TATUTDTVTgT_TmT{U#U.U2U<UIUGUSU_U]UjUrUuU~V-V3V4VFVNVFVaVlV]V}W/V}WBWQWKWiWvW|X6XBXTXcXmY-Y7Y=YbYfYjZ7Z8Z;ZfZgZi[6[7[7[a[a[a],]-]-]R]R]R]u]u]u^9^9^9^Y^Y^Y^v^v^v_6_6_6_Q_Q_Q_m_m_m`,`,`,`E`E`E
BgBDAhBPBMBNC#C/B}CTCaCkD/DBDHDjE'E&EBE[EWEnF1F,F6F^F]FNG*G1FgGRGaFwGzH0G%HBHWG4H_HyGFHuI:GII(ISGSI4IjGdICI}GmIQJ4G|IcJHH8IvJ^HNJ*JtH^J;K0HlJRKIH|JiKbI.K&KxI=K9L,IIK?L8IVK=L=IcK5L>InK4L>J&K;L?J@KDLBJTKMLGJ^KRLPJoK[L]K6KqLnKNL/M$KbLJM7K~LeMJL6L{M^LHM3MuLeMKN3M$M^NLM8MrNcMNN%N{MmN3O3N-NKODNCN^OTNVNoOmNmO+P0O)OMPSO@O{PvO[PCQ;O}PqQ`P:Q9R$PPQYRDPlQrRcQ-R$R|QIR>S5Q`RVSFQyRkSTR1RxSaRLS*SkReS1SrS'SBS{S9SXT+SESoT:SXT*TKSrT@TaT+TYTwTDTxU2TaU9UKU#URUdU7UhV#UKV%V?UbVBV]UyVaV}V<W)WDVoWQWjWIW~X7X$XOXbXYY#Y3Y0YSY`YbZ%Z0Z7ZRZ]Zb[#[-[+[L[W[M[v]$[u]@]J]C]f]o]o^.^5^;^O^U^b^q^t_*_3_5_L_P_Q_m_m_n`.`-`-`K`I`G
"""
SPACE = r"""
=q<B:D9S9'8Q818=8_9'9E9Y9f9l9n9n9l9j9i9i9h9h9h9h9h9h
>;<r;=9v9F8^7|7o8(8L8u9;9T9f9n9q9q9p9n9k9i9h9h9g9g9f
?>=L;c:19M8c7t7T7[7|8I8t9;9U9h9p9t9t9r9p9l9j9h9f9f9d
?X=p<#:@9A8k847`7S7f8,8T8|9A9Z9k9t9v9v9t9p9m9j9g9d9a
?m=v<$::8w8R8'7w7u8$888S8r949L9a9n9u9w9v9t9p9l9h9d9`
@6>9<=:N8}8Q7z7b7`7p8,8J8j9,9E9Y9i9r9v9w9v9r9n9j9e9`
@V>S<V:c9'8K7h7R7S7d7~8A8b9$9>9S9d9o9v9x9w9t9p9l9g9b
@q>v<w:z958@7^7A7A7S7p868V8w989O9`9m9t9w9x9v9r9n9j9f
A6?3=-;-9?857J7-777M7j808P8r919I9[9j9s9w9x9w9t9p9l9i
AY?X=Q;Q9X847S6y6p7'7J7s8@8f9*9D9X9h9q9w9x9x9v9s9p9l
A~?r=g;d9f8.7@6k6j6}7@7g848Z8}9>9U9f9p9w9z9z9x9v9s9p
Bc@]>P<I:H8X77695x606^7:7r8I8s999R9e9p9x9{9|9z9x9v9t
C2A#>u<n:j8o766;5h5m676o7O8.8a9-9L9c9q9z9~9~9}9{9y9w
CvAs?h=_;U9T7^5}5#4m596#6r7b8F8{9E9b9s9|:%:&:%:#9|9z
DZBm@{?&=$:x8{6x4m3A334$596S7`8U979`9w:(:-:.:+:(:$9|
E|DeC@Ao?r=f;_9Z7V5W3S1Q0E0g2T4m6r8J9O:+:C:I:D:;:0:&
FwF5EHDGC1AN?E=E;=9<77573213/j/C/`0N224Z6w8c9z:s;[<F
G%FgFLF*EMDBC'Aw@i?M=n;v9w7z5|3~2$0(.4,d,+,p.0/c152d
"""


def decode(text, low, high):
    """Rows of numbers from pairs of characters."""
    rows = []
    for line in text.split():
        code = np.frombuffer(line.encode(), dtype=np.uint8).astype(int) - 35
        code[code > 57] -= 1
        rows.append(low + (code[0::2] * 91 + code[1::2]) / 8280 * (high - low))
    return np.array(rows)


def squares(c, p, lam, s, r, q):
    """Marginal values for many items to come: balance and waste."""
    g, k = np.arange(101), np.minimum(np.arange(DEPTH), 11)
    table = (lam * g / 100 * np.exp(-((g / s) ** q)))[:, None] + (c * (1 - g / 100) ** p)[:, None] * (2 * k + 1.0) ** r
    table[0] = table[100] = 0
    return table


def law():
    """Probabilities of the sizes 0..100."""
    edge = [0.0] + [1 - math.exp(-(((k + 0.5) / 45) ** 3)) for k in range(1, 100)] + [1.0]
    return np.diff(np.array([0.0] + edge))


class Packer:
    """Keeps the items to come, the free space and the tables."""

    def __init__(self, capacity: int, items: int) -> None:
        self.capacity = capacity
        self.left = items
        self.seen = self.total = self.power = 0
        self.space = 0
        self.weights = [(capacity - gap) ** 2 for gap in range(capacity + 1)]
        self.weights[0] = 0
        self.known = capacity == 100
        if not self.known:
            return
        marginal = decode(TABLE, -1, 2).reshape(len(KNOTS), 99, 3)
        space = decode(SPACE, -10, 30)
        zero = np.repeat((np.arange(101) / 100.0)[:, None], DEPTH, 1)
        zero[100] = 0
        self.tables, self.room, self.level = [zero], [np.zeros(2600)], [np.zeros(2600)]
        grid = np.clip(np.arange(2600) / 100, 0, 22.999)
        whole = grid.astype(int)
        for rows, h in zip(marginal, space):
            full = np.zeros((101, DEPTH))
            full[1:100, :3] = rows
            full[1:100, 3:] = rows[:, 2:3]
            self.tables.append(full)
            d = np.diff(h)
            self.level.append(np.interp(np.arange(2600) / 100, np.arange(25), h[:25]))
            self.room.append(d[whole] * (1 - grid + whole) + d[whole + 1] * (grid - whole))
        self.lists = [table.tolist() for table in self.tables]
        self.late, self.early = squares(*LATE).tolist(), squares(*EARLY).tolist()
        self.index = [0] * T
        for i, knot in enumerate(KNOTS):
            for t in range(knot, T):
                self.index[t] = i + 1
        self.rng = np.random.default_rng(12345)
        self.cdf = np.cumsum(law())
        self.quick = {}

    def place(self, item: int, residuals: list[int], gap_counts: list[int]) -> int:
        """Index of the bin for the item; len(residuals) opens a new one."""
        self.left -= 1
        self.seen += 1
        self.total += item
        self.power += item * item
        if self.known and self.seen % 50 == 0:
            mean = self.total / self.seen
            spread = self.power / self.seen - mean * mean
            if abs(mean - 40.19) * self.seen**0.5 > 5 * 14.6 or abs(spread - 213) * self.seen**0.5 > 6 * 290:
                self.known = False
        if self.known:
            gap = self.learned(item, gap_counts)
        elif self.left * self.total <= self.space * self.seen:
            gap = next((g for g in range(item, self.capacity) if gap_counts[g]), self.capacity)
        else:
            gap = self.least_growth(item, gap_counts)
        self.space -= item
        if gap == self.capacity:
            self.space += gap
            return len(residuals)
        return residuals.index(gap)

    def learned(self, item, counts):
        """The gap whose use lets the value grow least."""
        t = self.left
        if t < T:
            table, extra = self.lists[self.index[t]], self.room[self.index[t]][min(max(self.space - item, 0), 2599)]
        else:
            table, extra = (self.late if t < T2 else self.early), 0.0
        costs = [(table[100 - item][min(counts[100 - item], 23)] + extra, 100)]
        for gap in range(item, 100):
            n = counts[gap]
            if n:
                rest = gap - item
                costs.append(((table[rest][min(counts[rest], 23)] if rest else 0.0) - table[gap][min(n, 24) - 1], gap))
        best = min(costs)
        if t >= TL or t == 0 or len(costs) == 1:
            return best[1]
        costs = sorted(c for c in costs if c[0] <= best[0] + WIDTH)[:CAND]
        if len(costs) == 1:
            return best[1]
        return self.ahead(item, counts, costs, t)

    def steps(self, i):
        """Growth of the value for every gap and item, flat, from table i."""
        if i not in self.quick:
            first = self.tables[i][:, 0]
            gap, item = np.arange(101)[:, None], np.arange(101)[None, :]
            grow = np.where(gap >= item, first[np.maximum(gap - item, 0)] - first[:, None], np.inf)
            self.quick[i] = grow.astype(np.float32).ravel(), self.room[i].astype(np.float32)
        return self.quick[i]

    def ahead(self, item, counts, costs, t):
        """Compares choices by rollouts with common draws."""
        steps = min(t, HOR)
        n = int(min(800, max(R, 30 * R / steps)))
        bins = [g for g in range(99, 2, -1) for _ in range(counts[g])]
        nb, m = len(bins), len(costs)
        width = nb + 2 + min(steps + 1, max(3, int(0.45 * t - self.space / 100) + 5))
        state = np.zeros((m, width), dtype=np.int64)
        state[:, 0] = 100
        state[:, 1 : nb + 1] = bins
        used = np.full(m, nb + 1, dtype=np.int64)
        room = np.full(m, self.space - item, dtype=np.int64)
        for j, (_, gap) in enumerate(costs):
            if gap == 100:
                state[j, nb + 1] = 100 - item
                used[j] += 1
                room[j] += 100
            elif gap > 2:
                state[j, 1 + bins.index(gap)] -= item
        state = np.repeat(state * 101, n, 0)
        used, room = np.repeat(used, n), np.repeat(room, n)
        draws = np.searchsorted(self.cdf, self.rng.random((steps, n)), side="right").clip(1, 100)
        draws = np.tile(draws, (1, m))
        rows = np.arange(m * n)
        flat = state.ravel()
        base = rows * width
        for s in range(steps):
            x = draws[s]
            grow, extra = self.steps(self.index[t - 1 - s])
            score = grow.take(state + x[:, None])
            room -= x
            score[:, 0] += extra.take(room, mode="clip")
            j = score.argmin(1)
            new = j == 0
            value = flat.take(base + j) - 101 * x
            flat[base + np.where(new, used, j)] = value
            used += new
            np.minimum(used, width - 1, out=used)
            room += 100 * new
        if steps < t:
            i = self.index[t - steps]
            first = np.repeat(self.tables[i][:, 0], 101)
            final = first.take(state[:, 1:]).sum(1) + self.level[i].take(room, mode="clip")
        else:
            final = used.astype(float)
        final = final.reshape(m, n)
        mean = final.mean(1)
        best = None
        for j, (cost, gap) in enumerate(costs):
            noise = (final[j] - final[0]).var() / n + 1e-4
            weight = TAU * TAU / (TAU * TAU + noise)
            value = weight * (mean[j] - mean[0]) + (1 - weight) * (cost - costs[0][0])
            if best is None or value < best[0]:
                best = (value, gap)
        return best[1]

    def least_growth(self, item: int, gap_counts: list[int]) -> int:
        """The gap whose use lets the weighted sum of squares grow least."""
        best_gap, best_growth = self.capacity, None
        for gap in range(item, self.capacity + 1):
            growth = 0
            if gap < self.capacity:
                if gap_counts[gap] == 0:
                    continue
                growth = self.weights[gap] * (1 - 2 * gap_counts[gap])
            growth += self.weights[gap - item] * (2 * gap_counts[gap - item] + 1)
            if best_growth is None or growth < best_growth:
                best_gap, best_growth = gap, growth
        return best_gap


def _gapsmith_main(heuristic):
    # Standard input: the instance as one JSON line, then one revealed line at a time;
    # standard output: one decision a line.
    # All names are local, so that none of them stands for one of the heuristic's own.
    import json
    import sys

    # Not imported: a candidate may not import them, and this file may become a start program.
    builtins, os = sys.modules["builtins"], sys.modules["os"]
    if os.environ.get("PYTHONHASHSEED") != "0":  # once; sets keep the sandbox's order
        again = [sys.executable, *sys.orig_argv[1:]]
        os.execve(sys.executable, again, {**os.environ, "PYTHONHASHSEED": "0"})

    def read(text):
        keys, wrong = ['capacity', 'items'], sys.argv[0] + ": standard input: "
        try:
            instance = json.loads(text)
        except builtins.ValueError as error:
            raise builtins.SystemExit(wrong + "expected JSON, got " + builtins.str(error))
        given = instance if builtins.isinstance(instance, builtins.dict) else ()
        if lacking := [key for key in keys if key not in given]:
            wrong += "expected one object with " + ", ".join(keys)
            raise builtins.SystemExit(wrong + ", got none or one without " + ", ".join(lacking))
        return instance

    driver = {}
    builtins.exec('"""Runs inside the sandbox around an online rule: keeps the open bins and hands the rule copies of them."""\n\nimport operator\nfrom collections.abc import Callable\nfrom typing import Any\n\n\ndef drive(\n    entry: Any, instance: dict[str, Any], receive: Callable[[], bytes | None], send: Callable[[bytes], None]\n) -> None:\n    """Asks the rule for a bin for each item as it arrives; the parent judges every decision again."""\n    capacity = instance["capacity"]\n    place = entry(**instance).place\n    residuals: list[int] = []\n    gap_counts = [0] * (capacity + 1)\n    while (line := receive()) is not None:\n        item = int(line)\n        decision = place(item, residuals.copy(), gap_counts.copy())\n        try:\n            index = decision if type(decision) is int else operator.index(decision)\n        except TypeError:\n            index = -1\n        if type(decision) is bool or not 0 <= index <= len(residuals):\n            send(repr(decision).encode("ascii", "replace")[:80].replace(b"\\n", b" "))\n            return\n        if index == len(residuals):\n            residuals.append(capacity)\n        else:\n            gap_counts[residuals[index]] -= 1\n        residual = residuals[index] - item\n        residuals[index] = residual\n        send(b"%d" % index)\n        if residual < 0:\n            return\n        gap_counts[residual] += 1\n', driver)

    def receive():
        line = sys.stdin.buffer.readline()
        return line.strip() if line.strip() else None

    def send(line):
        sys.stdout.write(line.decode() + "\n")
        sys.stdout.flush()

    driver["drive"](heuristic, read(sys.stdin.buffer.readline()), receive, send)


if __name__ == "__main__":
    _gapsmith_main(Packer)
